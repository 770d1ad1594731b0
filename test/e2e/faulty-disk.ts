import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithTests } from '../end-with-tests.ts';

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
  const tracer = endWithTests(
    spawn(
      'strace',
      ['-f', '-p', String(pid), '-P', path, '-e', `trace=${names}`, '-e', `inject=${names}:error=${error}`],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    ),
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

/** A disk of its own, as small as it is said to be. */
export interface SmallDisk {
  readonly path: string;
  resize(megabytes: number): void;
  remove(): void;
}

/** Undefined where this user may not mount one. */
export function smallDisk(megabytes: number): SmallDisk | undefined {
  const path = mkdtempSync(join(tmpdir(), 'pitwall-disk-'));
  const mount = (options: string) =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path]).status === 0;
  if (!mount(`size=${megabytes}m`)) {
    rmdirSync(path);
    return undefined;
  }
  return {
    path,
    resize(size) {
      if (!mount(`remount,size=${size}m`)) throw new Error(`${path} could not be made ${size} MB large`);
    },
    remove() {
      spawnSync('umount', [path]);
      rmdirSync(path);
    },
  };
}
