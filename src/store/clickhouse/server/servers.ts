import type { StoreLog } from '../../store-log.ts';
import { type ClickHouse, type ClientOptions, connectClickHouse } from './client.ts';
import { codeOf, isBug, messageOf } from './client-errors.ts';
import { nowAndThen } from './now-and-then.ts';

/** A connection to the first of several servers that answers, and to another one when that is lost. */
export interface Servers extends ClickHouse {
  /** The address of the server that is used. */
  readonly url: string;
  /** Uses the first server in the order of the list that answers. Rejects like the first one's client if none does. */
  choose(): Promise<void>;
}

/** How long a server may take to say anything before it is taken as not there. */
const answerMs = 5000;

/**
 * `clickhouse://user:password@host1:8123,host2:8123/database`, one address for each host.
 * Throws a TypeError where a host is empty.
 */
export function addressesOf(url: string): string[] {
  const [, before, hosts, after = ''] = /^(\w+:\/\/(?:[^/]*@)?)([^/]*)(\/.*)?$/.exec(url) ?? [];
  if (before === undefined || hosts === undefined) return [url];
  if (hosts.split(',').includes(''))
    throw new TypeError('an address of ClickHouse has a host between commas');
  return hosts.split(',').map((host) => `${before}${host}${after}`);
}

/**
 * A statement that fails because its server is away fails, and the next one goes to another server. All nodes go through
 * the list from its beginning, so they find the same server.
 */
export function connectServers(options: ClientOptions, log: StoreLog): Servers {
  const addresses = addressesOf(options.url);
  const clients = addresses.map((url) => connectClickHouse({ ...options, url }));
  let current = 0;
  let hasChosen = false;
  let choosing: Promise<void> | undefined;
  const isToTell = nowAndThen();
  let isClosed = false;
  const using = () => clients[current]!;
  const shown = (at: number) => new URL(addresses[at]!.replace(/^\w+/, 'http')).host;

  async function answers(client: ClickHouse): Promise<void> {
    let rows: readonly (readonly unknown[])[];
    try {
      rows = await client.rows({ text: 'SELECT 1', params: {} }, { patienceMs: answerMs });
    } catch (error) {
      // What it refuses it has read: the database may still have to be made.
      if (codeOf(error) !== undefined) return;
      throw error instanceof SyntaxError ? notClickHouse() : error;
    }
    if (rows.length !== 1 || rows[0]![0] !== 1) throw notClickHouse();
  }

  async function chooseNow(): Promise<void> {
    let firstError: unknown;
    for (const [at, client] of clients.entries()) {
      try {
        await answers(client);
      } catch (error) {
        firstError ??= error;
        continue;
      }
      if (clients.length > 1 && (at !== current || !hasChosen))
        log.info({ server: shown(at) }, `using the ClickHouse server ${shown(at)}`);
      current = at;
      hasChosen = true;
      return;
    }
    throw firstError;
  }

  function choose(): Promise<void> {
    choosing ??= chooseNow().finally(() => {
      choosing = undefined;
    });
    return choosing;
  }

  /** Looks for another server where this one is lost. What the statement ended with stays what it is. */
  function failed(client: ClickHouse, error: unknown): void {
    const isLost = codeOf(error) === undefined && error instanceof Error && !isBug(error);
    if (!isLost || clients.length === 1 || client !== using() || isClosed) return;
    if (isToTell())
      log.warn({ server: shown(current), cause: messageOf(error) }, 'a ClickHouse server may be lost');
    choose().catch(() => undefined); // None answers: the one that failed is asked again.
  }

  async function asking<Answer>(
    signal: AbortSignal | undefined,
    ask: (client: ClickHouse) => Promise<Answer>,
  ): Promise<Answer> {
    const client = using();
    try {
      return await ask(client);
    } catch (error) {
      if (signal?.aborted !== true) failed(client, error);
      throw error;
    }
  }

  return {
    database: clients[0]!.database,
    get url() {
      return addresses[current]!;
    },
    choose,
    command: (statement, limits) => asking(limits?.signal, (client) => client.command(statement, limits)),
    rows: <Row extends readonly unknown[]>(
      statement: Parameters<ClickHouse['rows']>[0],
      limits?: Parameters<ClickHouse['rows']>[1],
    ) => asking(limits?.signal, (client) => client.rows<Row>(statement, limits)),
    async *stream(statement, limits) {
      const client = using();
      try {
        yield* client.stream(statement, limits);
      } catch (error) {
        if (limits?.signal?.aborted !== true) failed(client, error);
        throw error;
      }
    },
    insert: (statement, data, limits) =>
      asking(limits?.signal, (client) => client.insert(statement, data, limits)),
    async close() {
      isClosed = true;
      await choosing?.catch(() => undefined);
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

/** Another server with an answer of its own to everything, as a proxy's page. */
function notClickHouse(): Error {
  return new Error('what answers there is not ClickHouse');
}
