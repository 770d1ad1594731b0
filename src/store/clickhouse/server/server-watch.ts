import type { StoreLog } from '../../store-log.ts';
import type { ClickHouse } from './client.ts';
import { loggedCause, messageOf } from './client-errors.ts';
import { keepDoing } from './keep-doing.ts';
import type { ServerClock } from './server-clock.ts';
import { print, sql } from './sql.ts';
import type { VersionClock } from './version-clock.ts';

/** Asks the server for its time every second: versions follow it, and its answer says that it is there. */
export interface ServerWatch {
  /** Why the last look failed; undefined while the server answers. */
  failure(): string | undefined;
  close(): Promise<void>;
}

const lookEveryMs = 1000;
/** How long a server may take to say its time before it is taken as not there. */
const patienceMs = 5000;

/**
 * Rejects like the client when the first look fails.
 *
 * @param looked is awaited after each look, however its clock was set
 */
export async function watchServer(
  clickhouse: ClickHouse,
  clock: ServerClock,
  versions: Pick<VersionClock, 'reading' | 'see'>,
  log: StoreLog,
  looked: () => Promise<void>,
): Promise<ServerWatch> {
  let failure: string | undefined;

  async function look(signal?: AbortSignal): Promise<void> {
    const sent = performance.now();
    const [row] = await clickhouse.rows<[string]>(print(sql`SELECT toUnixTimestamp64Nano(now64(9))`), {
      signal,
      patienceMs,
    });
    clock.observe(BigInt(row![0]), sent, performance.now());
  }

  async function lookAgain(signal: AbortSignal): Promise<void> {
    try {
      const before = versions.reading();
      await look(signal);
      // Where the server's clock went back, versions go on.
      versions.see(before);
      await looked();
      if (failure !== undefined) log.info({}, 'ClickHouse answers again');
      failure = undefined;
    } catch (error) {
      if (signal.aborted) return;
      if (failure === undefined) log.error({ cause: loggedCause(error) }, 'ClickHouse does not answer');
      failure = messageOf(error);
    }
  }

  // The first answer pays for the connection, so it says little about the time.
  await look();
  await look();
  await looked();
  const times = { firstMs: lookEveryMs, betweenMs: lookEveryMs };
  const { close } = keepDoing(lookAgain, { what: 'ask ClickHouse for its time', ...times, log });
  return { failure: () => failure, close };
}
