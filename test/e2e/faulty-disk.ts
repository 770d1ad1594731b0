import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** Why no fault can be injected on this machine, for a test to skip with. */
export const noFaults =
  spawnSync('strace', ['-V']).status === 0 ? false : 'strace is not installed, which injects the faults';

/** What the kernel answers, instead of doing it, to calls for one file. */
export interface DiskFault {
  readonly path: string;
  readonly calls: readonly string[];
  readonly error: 'EIO' | 'ENOSPC';
}

export const writeCalls = ['write', 'pwrite64', 'pwritev', 'writev'];
export const syncCalls = ['fsync', 'fdatasync', 'msync', 'sync_file_range'];

/** Has calls of a running process fail from now on; resolves with what ends that. */
export async function injectFault(
  pid: number,
  { path, calls, error }: DiskFault,
): Promise<() => Promise<void>> {
  const names = calls.join(',');
  const tracer = spawn(
    'strace',
    ['-f', '-p', String(pid), '-P', path, '-e', `trace=${names}`, '-e', `inject=${names}:error=${error}`],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await attached(tracer);
  return async () => {
    const ended = once(tracer, 'close');
    tracer.kill('SIGINT');
    await ended;
  };
}

function attached(tracer: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    tracer.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (/attached/.test(said)) resolve();
    });
    tracer.on('error', reject);
    tracer.on('close', () => reject(new Error(`strace ended: ${said}`)));
  });
}
