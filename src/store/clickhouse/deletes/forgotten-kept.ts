import type { StoreLog } from '../../store-log.ts';
import type { Asking } from '../catalog/catalog-settings.ts';
import { changesLastNs, ownTable } from '../server/delete-settings.ts';
import { type Job, keepDoing } from '../server/keep-doing.ts';
import type { Topology } from '../server/schema.ts';
import { every, param, print, type Sql, sql } from '../server/sql.ts';
import type { VersionClock } from '../server/version-clock.ts';
import { rowTaker } from './take-rows.ts';

/** Takes the rows away that say that documents were forgotten, a day later: of each delivered message there is one. */
export interface ForgottenKept {
  /** Where they are worth a delete. */
  take(): Promise<void>;
  /** Takes them every hour or so, until it is closed. */
  begin(log: StoreLog): Job;
}

export interface ForgottenKeptOptions {
  readonly clickhouse: Asking;
  readonly topology: Topology;
  readonly clock: Pick<VersionClock, 'reading'>;
}

/** Fewer of them stay: a delete writes parts of the table anew. */
export const worthDeleting = 1000;

/** Nodes that were started together do not all take them. */
const everyMs = () => 3_600_000 * (1 + Math.random());

export function forgottenKept({ clickhouse, topology, clock }: ForgottenKeptOptions): ForgottenKept {
  const takeFrom = rowTaker({ clickhouse, topology });

  async function take(): Promise<void> {
    const old = sql`version < ${param(clock.reading() - changesLastNs, 'UInt64')}`;
    const saysSo = every([sql`removed = 1`, old]);
    const [row] = await clickhouse.rows<[count: string]>(
      print(sql`SELECT count() FROM kept WHERE ${saysSo}`),
    );
    if (Number(row?.[0] ?? 0) < worthDeleting) return;
    // What was kept before goes first: without the row that says so it would be there again.
    const forgotten: Sql = sql`(workspace, kind, topic, id) IN (
  SELECT workspace, kind, topic, id FROM ${ownTable(topology, 'kept')} WHERE ${old}
  GROUP BY workspace, kind, topic, id HAVING argMax(removed, version) = 1)`;
    await takeFrom('kept', every([sql`removed = 0`, old, forgotten]));
    await takeFrom('kept', saysSo);
  }

  return {
    take,
    begin(log) {
      const what = 'take the rows of what was forgotten';
      return keepDoing(take, { what, firstMs: everyMs(), betweenMs: everyMs(), log });
    },
  };
}
