import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '../../root.ts';
import { urlOfEngines } from '../engine.ts';
import { engineInstalled } from '../native.ts';
import type { ClusterServer } from './cluster-server.ts';
import { type ClusterOf, configure } from './configuration.ts';
import { startFront } from './front.ts';
import { giveOwnAddress } from './own-address.ts';
import { serveParts } from './serve-parts.ts';

/** What `skip` of a test takes: false where servers of a cluster can run. */
export const pythonMissing =
  spawnSync('python3', ['--version']).status === 0 ? false : 'python3 is not installed';

/** A real server of ClickHouse in a process of its own. */
export interface RunningServer {
  readonly child: ChildProcess;
  urlOf(database: string): string;
  /** Ends the process and waits until it is gone. */
  kill(): Promise<void>;
  /** Starts it again on the same folder, after a kill where it still runs. */
  restart(): Promise<void>;
}

export async function startServer(
  folder: string,
  own: ClusterServer,
  given: ClusterOf,
): Promise<RunningServer> {
  let running = await launch(folder, own, given);

  async function kill(): Promise<void> {
    for (const server of running.servers) {
      server.close();
      server.closeAllConnections();
    }
    running.child.kill('SIGKILL');
    await running.ended;
  }

  return {
    get child() {
      return running.child;
    },
    urlOf: (database) => urlOfEngines([own.front], database),
    kill,
    async restart() {
      await kill();
      running = await launch(folder, own, given);
    },
  };
}

async function launch(folder: string, own: ClusterServer, given: ClusterOf) {
  const program = join(root, 'test/clickhouse/cluster/serve.py');
  const args = [program, join(engineInstalled, 'libchdb.so'), ...configure(folder, own, given)];
  const child = spawn('python3', args, { stdio: ['pipe', 'pipe', 'pipe'] });
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
  while (!said.includes('loaded\n')) await Promise.race([isOver, pause(20)]);
  giveOwnAddress(child.pid!, own.parts);
  child.stdin.write('\n');
  while (!(await isAnswered(own.http))) await Promise.race([isOver, pause(50)]);
  const servers: Server[] = [
    await serveParts(join(folder, 'data'), own.parts),
    await startFront(own, given.servers),
  ];
  return { child, ended, servers };
}

const isAnswered = (port: number) =>
  fetch(`http://127.0.0.1:${port}/ping`).then(
    ({ ok }) => ok,
    () => false,
  );
