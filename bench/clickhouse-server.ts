import { type ClickHouse, connectClickHouse, type Settings } from '../src/store/clickhouse/server/client.ts';
import {
  type Durability,
  migrate,
  setDurability,
  setNumberCodec,
} from '../src/store/clickhouse/server/migrate.ts';
import { startEngine } from '../test/clickhouse/engine.ts';
import { request } from './driver.ts';
import { cpuSecondsOf } from './system.ts';

/** The engine of ClickHouse in a process of its own, on an empty folder. */
export interface ClickHouseServer {
  readonly port: number;
  urlOf(database: string): string;
  /** A request for a raw socket; a body is the data of the statement. */
  request(database: string, text: string, settings?: Settings, body?: Buffer): Buffer;
  /** Runs a statement that is not measured. */
  command(database: string, text: string): Promise<void>;
  /** Rows of an answer, 64-bit integers as texts. */
  rows(database: string, text: string): Promise<(string | number)[][]>;
  /** Makes a database with the tables that a node would make, and with its settings. */
  makeTables(database: string, durability: Durability): Promise<void>;
  drop(database: string): Promise<void>;
  /** Waits until nothing is merged any more. */
  untilMerged(database: string): Promise<void>;
  cpuSeconds(): number;
  stop(): Promise<void>;
}

const silent = () => undefined;
const log = { info: silent, warn: silent, error: silent };

export async function startClickHouse(): Promise<ClickHouseServer> {
  const engine = await startEngine();
  const { username, password } = new URL(engine.url.replace('clickhouse:', 'http:'));
  const basic = `${username}:${decodeURIComponent(password)}`;
  const headers = { Authorization: `Basic ${Buffer.from(basic).toString('base64')}` };
  const clients = new Map<string, ClickHouse>();

  function client(database: string): ClickHouse {
    const known = clients.get(database) ?? connectClickHouse({ url: engine.urlOf(database) });
    clients.set(database, known);
    return known;
  }

  const command = (database: string, text: string) => client(database).command({ text, params: {} });
  const rows = (database: string, text: string) =>
    client(database).rows<(string | number)[]>({ text, params: {} });

  return {
    port: engine.port,
    urlOf: (database) => engine.urlOf(database),
    request(database, text, settings = {}, body = Buffer.alloc(0)) {
      const asked = Object.entries({ database, query: text, ...settings });
      const pairs = asked.map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`);
      return request('POST', `/?${pairs.join('&')}`, headers, body);
    },
    command,
    rows,
    async makeTables(database, durability) {
      await command('default', `CREATE DATABASE ${database}`);
      await migrate(client(database), {}, log);
      await setDurability(client(database), {}, durability, log);
      await setNumberCodec(client(database), {}, log);
    },
    async drop(database) {
      await command('default', `DROP DATABASE ${database} SYNC`);
      await clients.get(database)?.close();
      clients.delete(database);
    },
    async untilMerged(database) {
      const state = `SELECT (SELECT count() FROM system.merges),
        (SELECT groupArray(name) FROM system.parts WHERE database = '${database}' AND active)`;
      for (let before = '', same = 0; same < 6; ) {
        await new Promise((resolve) => setTimeout(resolve, 500));
        const now = JSON.stringify(await rows(database, state));
        same = now === before && now.startsWith('[["0"') ? same + 1 : 0;
        before = now;
      }
    },
    cpuSeconds: () => cpuSecondsOf(engine.child),
    async stop() {
      for (const each of clients.values()) await each.close();
      await engine.stop();
    },
  };
}
