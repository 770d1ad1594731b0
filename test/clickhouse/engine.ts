import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoneCluster } from './lone-server.ts';
import { engineInstalled } from './native.ts';

/** For the `skip` of tests: what to do where the engine is not installed. */
export const engineMissing: string | false =
  !existsSync(engineInstalled) &&
  'the ClickHouse engine (550 MB) is not installed: npm run test:clickhouse does that and runs these tests';

/** For the `skip` of tests that take minutes: `npm test -- --clickhouse` asks for all that needs the engine. */
export const notAsked: string | false =
  process.env['CLICKHOUSE_TESTS'] !== 'all' && 'it takes long: npm run test:clickhouse runs it';

/** The real engine of ClickHouse in a process of its own, spoken to as a server of ClickHouse. */
export interface Engine {
  /** `clickhouse://user:password@127.0.0.1:PORT/DATABASE`; the same after a restart. */
  readonly url: string;
  /** The same server with another database. */
  urlOf(database: string): string;
  readonly port: number;
  readonly child: ChildProcess;
  /** Ends the process and waits until it is gone. */
  kill(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Starts it again on the same folder and port, after a kill where it still runs; as a server of another cluster if one is given. */
  restart(signal?: 'SIGKILL' | 'SIGTERM', cluster?: LoneCluster): Promise<void>;
  /** Ends it for good and removes the folder if it made one. */
  stop(): Promise<void>;
}

const user = 'pitwall';
const password = 'a pass:word/of tests';

export interface EngineOptions {
  /** A temporary one unless given. */
  readonly dataDir?: string;
  readonly cluster?: LoneCluster | undefined;
}

/** Starts it on a free port. */
export async function startEngine(options: EngineOptions = {}): Promise<Engine> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'pitwall-clickhouse-'));
  let { cluster } = options;
  const start = (at: number) => launch(dataDir, at, cluster);
  let running = await start(0);
  const { port } = running;
  const urlOf = (database: string) => urlOfEngines([port], database);

  async function kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    running.child.kill(signal);
    await running.ended;
  }

  return {
    url: urlOf('pitwall'),
    urlOf,
    port,
    get child() {
      return running.child;
    },
    kill,
    async restart(signal, other) {
      cluster = other ?? cluster;
      await kill(signal);
      running = await start(port);
    },
    async stop() {
      await kill();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** `clickhouse://user:password@127.0.0.1:PORT,127.0.0.1:PORT/DATABASE` */
export function urlOfEngines(ports: readonly number[], database: string): string {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
  return `clickhouse://${user}:${encodeURIComponent(password)}@${hosts}/${database}`;
}

async function launch(dataDir: string, port: number, cluster: LoneCluster | undefined) {
  const program = fileURLToPath(new URL('./server.js', import.meta.url));
  const args = ['--data-dir', dataDir, '--port', String(port), '--user', user, '--password', password];
  if (cluster !== undefined) args.push('--cluster', JSON.stringify(cluster));
  const child = spawn(process.execPath, [program, ...args], {
    // Each connection to the engine takes a thread while it works.
    env: { ...process.env, UV_THREADPOOL_SIZE: '12' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const listening = await new Promise<number>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const line = /^engine listening on (\d+)$/m.exec(said);
      if (line !== null) resolve(Number(line[1]));
    });
    ended.then(() => reject(new Error(`the engine ended: ${said}`)));
  });
  return { child, ended, port: listening };
}
