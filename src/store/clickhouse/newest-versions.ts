import type { Asking } from './catalog/catalog-settings.ts';
import { param, print, sql } from './sql.ts';
import type { VersionClock } from './version-clock.ts';

/**
 * Lets the clock see versions of streams and of their values that are ahead of it. `streams` has them all, for every
 * write of values leaves its own there, and an index by which a look reads nothing where there is none.
 */
export async function seeNewest(
  clickhouse: Pick<Asking, 'rows'>,
  clock: Pick<VersionClock, 'reading' | 'see'>,
  options: { readonly signal?: AbortSignal; readonly patienceMs: number },
): Promise<void> {
  const ahead = sql`${newestState} > ${param(clock.reading(), 'UInt64')}`;
  const [row] = await clickhouse.rows<[newest: string]>(
    print(sql`SELECT max(${newestState}) FROM streams WHERE ${ahead}`),
    options,
  );
  clock.see(BigInt(row?.[0] ?? 0));
}

/** The newest version of a row of `streams`, spelt like its index `newest`. */
const newestState = sql`greatest(touched, changed, removed, tupleElement(closed, 'version'), tupleElement(hidden, 'version'), tupleElement(properties, 'version'))`;
