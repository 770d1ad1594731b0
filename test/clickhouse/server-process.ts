import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { needsEngine } from '../extent.ts';
import { root } from '../root.ts';
import { configure, type ServerOptions } from './configuration.ts';

/** The engine of ClickHouse as npm's package brings it. */
const library = join(root, 'test/clickhouse/node_modules/@chdb/lib-linux-x64-gnu/libchdb.so');

/** For the `skip` of tests: what to do where servers of ClickHouse can't run. */
export const engineMissing: string | false =
  needsEngine ||
  (!existsSync(library)
    ? 'the ClickHouse engine (550 MB) is not installed: npm run test:long does that and runs these tests'
    : spawnSync('python3', ['--version']).status !== 0 && 'python3 is not installed');

/** A real server of ClickHouse in a process of its own. */
export interface ServerProcess {
  readonly child: ChildProcess;
  /** Ends the process and waits until it is gone. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/**
 * Returns when the server answers.
 * @param prepare is called with the process's number when the library is loaded and nothing runs yet
 */
export async function startProcess(
  options: ServerOptions,
  prepare: (pid: number) => void = () => undefined,
): Promise<ServerProcess> {
  const program = join(root, 'test/clickhouse/serve.py');
  const child = spawn('python3', [program, library, ...configure(options)], {
    env: { ...process.env, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const isOver = ended.then(() => {
    throw new Error(`the server ended: ${said}`);
  });
  isOver.catch((error: Error) => {
    if (!child.killed) console.error(error.message);
  });
  while (!said.includes('loaded\n')) await Promise.race([isOver, pause(10)]);
  prepare(child.pid!);
  child.stdin.write('\n');
  while (!(await isAnswered(options.port))) await Promise.race([isOver, pause(20)]);
  return {
    child,
    async kill(signal = 'SIGKILL') {
      child.kill(signal);
      await ended;
    },
  };
}

const isAnswered = (port: number) =>
  fetch(`http://127.0.0.1:${port}/ping`).then(
    ({ ok }) => ok,
    () => false,
  );
