import type { StoreLog } from '../../store-log.ts';
import type { Asking } from '../catalog/catalog-settings.ts';
import { dropEmptyParts } from '../deletes/empty-parts.ts';
import type { RowTaker } from '../deletes/take-rows.ts';
import { codeOf } from '../server/client-errors.ts';
import { ddlSettings } from '../server/cluster-ddl.ts';
import { deleteSettings, trusted } from '../server/delete-settings.ts';
import { mutableTable, type Topology } from '../server/schema.ts';
import { literal, print, sql } from '../server/sql.ts';
import type { VersionClock } from '../server/version-clock.ts';
import { isEmptied, tidied, untidyPartitions, windowsApart } from './window-tidy-sql.ts';

/** What is done to windows in the background. */
export interface WindowWork {
  readonly clickhouse: Asking;
  readonly topology: Topology;
  readonly clock: Pick<VersionClock, 'reading'>;
  readonly takeFrom: RowTaker;
  readonly log: StoreLog;
  /** What was written or deleted later than so long ago (ms) waits for the next time: older values may still come. */
  readonly settledMs?: number;
}

/** The version until which all values have come: ten minutes old, for clocks differ, and an insert may be tried for a minute. */
function settledVersion({ clock, settledMs = 600_000 }: WindowWork): bigint {
  return clock.reading() - BigInt(settledMs) * 1_000_000n;
}

export interface WindowTidyOptions extends WindowWork {
  /** Whether nothing may make ClickHouse look which rows are expired by its own clock: windows that are written again do. */
  readonly isHeld: () => boolean;
}

/** Worth it are partitions with a tenth of their values in untidy windows, or with a window of so many pieces. */
const worthwhileShare = 0.1;
const worthwhilePieces = 10_000;

/**
 * Takes what is replaced and deleted out of windows, and makes one sum of those that many small requests brought, in
 * partitions in which it is much. First all rows of a window are merged into one, so that nothing that a delete is for stands
 * elsewhere and the delete can go too. Each row is then written again by itself, so nodes may write and delete meanwhile, and
 * two may tidy at once.
 *
 * @returns the ids of the partitions that were tidied
 */
export async function tidyWindows(work: WindowTidyOptions, signal: AbortSignal): Promise<string[]> {
  const { clickhouse, topology, takeFrom, isHeld, log } = work;
  if (isHeld()) return [];
  // Where there are such parts a partition cannot be merged into one.
  await dropEmptyParts(clickhouse, topology, signal);
  const settled = settledVersion(work);
  const found = await clickhouse.rows<[partition: string, all: string, untidy: string, pieces: string]>(
    print(untidyPartitions(settled)),
    { signal },
  );
  const table = trusted(mutableTable(topology, 'windows'));
  const settings = { ...deleteSettings, ...ddlSettings(topology), mutations_sync: '1' } as const;
  const done: string[] = [];
  const failures: unknown[] = [];
  for (const [partition, all, untidy, pieces] of found) {
    signal.throwIfAborted();
    if (isHeld()) break;
    if (Number(untidy) < worthwhileShare * Number(all) && Number(pieces) < worthwhilePieces) continue;
    try {
      await mergePartition(work, partition, settled, signal);
      if (isHeld()) break;
      const tidy = sql`ALTER TABLE ${table} ${tidied(partition, settled)}`;
      await clickhouse.command(print(tidy), { settings, signal });
    } catch (error) {
      failures.push(error);
      continue;
    }
    done.push(partition);
    log.info({ partition, values: Number(untidy) }, 'tidied windows');
  }
  // Also those of a node that stopped before it did so.
  await takeFrom('windows', isEmptied);
  // The others are done: the next time begins with what could not be.
  for (const failure of failures) throw failure;
  return done;
}

/** Code of an OPTIMIZE that merges nothing. */
const nothingMerged = 388;

/** Makes one row of all rows of a window, of those that are settled; rejects where that is not so. */
async function mergePartition(
  { clickhouse, topology }: WindowTidyOptions,
  partition: string,
  settled: bigint,
  signal: AbortSignal,
): Promise<void> {
  const table = trusted(mutableTable(topology, 'windows'));
  const merge = sql`OPTIMIZE TABLE ${table} PARTITION ID ${literal(partition)} FINAL`;
  try {
    await clickhouse.command(print(merge), {
      // Where it cannot be merged, this says so instead of doing nothing.
      settings: { ...deleteSettings, ...ddlSettings(topology), optimize_throw_if_noop: 1 },
      signal,
    });
  } catch (error) {
    // A shard without rows of the partition says the same as one that could not merge its own.
    if (topology.cluster === undefined || codeOf(error) !== nothingMerged) throw error;
    const apart = await clickhouse.rows(print(windowsApart(partition, settled)), { signal });
    if (apart.length > 0) throw error;
  }
}
