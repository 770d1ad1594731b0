import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { endWithTests } from '../../../end-with-tests.ts';

/** Has a process write to a folder without end, and kills it (SIGKILL) when so many requests were acknowledged. */
export async function killInLoad(dataDir: string, seed: number, requests: number): Promise<void> {
  const path = fileURLToPath(new URL('./fault-load-child.js', import.meta.url));
  const child = endWithTests(
    fork(path, [dataDir, String(seed)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
  );
  let done = 0;
  child.on('message', () => {
    if (++done === requests) child.kill('SIGKILL');
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  if (signal !== 'SIGKILL') throw new Error(`the load ended with ${code ?? signal} after ${done} requests`);
}
