import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { login } from './configuration.ts';
import { startProcess } from './server-process.ts';

/** For the `skip` of tests that take minutes. */
export { takesLong as notAsked } from '../extent.ts';
export { engineMissing } from './server-process.ts';

/** The one server of a ClickHouse without a cluster. */
export interface Engine {
  /** `clickhouse://user:password@127.0.0.1:PORT/DATABASE`; the same after a restart. */
  readonly url: string;
  /** The same server with another database. */
  urlOf(database: string): string;
  readonly port: number;
  readonly child: ChildProcess;
  /** The warnings and errors that it has logged. */
  logged(): string;
  /** Ends the process and waits until it is gone. */
  kill(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Starts it again on the same folder and port, after a kill where it still runs. */
  restart(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Ends it for good and removes its folder. */
  stop(): Promise<void>;
}

/** Starts it on a free port, in a temporary folder. */
export async function startEngine(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-clickhouse-'));
  const port = await freePort();
  let running = await startProcess({ folder, port });
  const urlOf = (database: string) => urlOfEngines([port], database);
  const kill = (signal?: NodeJS.Signals) => running.kill(signal);
  return {
    url: urlOf('pitwall'),
    urlOf,
    port,
    get child() {
      return running.child;
    },
    logged: () => readFileSync(join(folder, 'errors.log'), 'utf8'),
    kill,
    async restart(signal) {
      await kill(signal);
      running = await startProcess({ folder, port });
    },
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** `clickhouse://user:password@127.0.0.1:PORT,127.0.0.1:PORT/DATABASE` */
export function urlOfEngines(ports: readonly number[], database: string): string {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
  return `clickhouse://${login.user}:${encodeURIComponent(login.password)}@${hosts}/${database}`;
}
