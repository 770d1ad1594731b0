import { every, param, print, type Sql, sql } from '../server/sql.ts';
import type { VersionClock } from '../server/version-clock.ts';
import type { Asking } from './catalog-settings.ts';

export interface NewestOptions {
  readonly signal?: AbortSignal;
  readonly patienceMs: number;
}

/**
 * Lets the clock see versions of streams and of their values that are ahead of it: `streams` has them all, for every
 * write of values leaves its own there.
 *
 * @param scope conditions on `workspace`, `topic` and `stream`; without any, six numbers of every stream are read
 */
export async function seeNewest(
  clickhouse: Pick<Asking, 'rows'>,
  clock: Pick<VersionClock, 'reading' | 'see'>,
  options: NewestOptions,
  scope: readonly Sql[] = [],
): Promise<void> {
  const newest = sql`greatest(${newestOfStream}, removed)`;
  const ahead = sql`${newest} > ${param(clock.reading(), 'UInt64')}`;
  const [row] = await clickhouse.rows<[newest: string]>(
    print(sql`SELECT max(${newest}) FROM streams WHERE ${every([...scope, ahead])}`),
    // Of a tuple only its version is read. That is right where nothing is put together.
    { ...options, settings: { optimize_functions_to_subcolumns: 1 } },
  );
  clock.see(BigInt(row?.[0] ?? 0));
}

/** The newest version of what a row of `streams` says, its removal left aside. */
export const newestOfStream = sql`greatest(touched, changed, tupleElement(closed, 'version'), tupleElement(hidden, 'version'), tupleElement(properties, 'version'))`;
