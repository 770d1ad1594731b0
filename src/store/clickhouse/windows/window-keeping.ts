import type { StoreLog } from '../../store-log.ts';
import type { Asking } from '../catalog/catalog-settings.ts';
import { dropEmptyParts } from '../deletes/empty-parts.ts';
import type { Removals } from '../deletes/removals.ts';
import { rowTaker } from '../deletes/take-rows.ts';
import { type Job, keepDoing } from '../server/keep-doing.ts';
import type { Topology } from '../server/schema.ts';
import type { VersionClock } from '../server/version-clock.ts';
import { applyToldDeletes, copySamples } from './window-copy.ts';
import { tidyWindows } from './window-tidy.ts';

export interface WindowsKept {
  readonly writesWindows: boolean;
  readonly copiesSamples?: boolean;
  readonly log: StoreLog;
}

const minuteMs = 60_000;
/** After ten minutes values that were too young to be copied are old enough. */
const copyEveryMs = 10 * minuteMs;
/** Tidying writes whole partitions again. */
const tidyEveryMs = 24 * 60 * minuteMs;
/** Nodes that start together do not tidy at the same time. */
const tidyFirstMs = () => (10 + 50 * Math.random()) * minuteMs;

const hourMs = 60 * minuteMs;
const dropFirstMs = () => (5 + 55 * Math.random()) * minuteMs;

/**
 * What nodes do in the background with values: they drop parts of which nothing is left; and, as their settings say, tidy windows and
 * copy what is older.
 */
export function keepWindows(
  { writesWindows, copiesSamples = false, log }: WindowsKept,
  given: {
    readonly clickhouse: Asking;
    readonly topology: Topology;
    readonly clock: Pick<VersionClock, 'reading'>;
    readonly removals: Pick<Removals, 'finish'>;
    readonly isHeld: () => boolean;
  },
): Job {
  const options = { ...given, log, takeFrom: rowTaker(given), finishRemovals: given.removals.finish };
  const jobs: Job[] = [];
  const dropAll = async (signal: AbortSignal) => {
    for (const table of ['samples', 'windows'] as const)
      await dropEmptyParts(given.clickhouse, given.topology, table, signal);
  };
  const dropTimes = { firstMs: dropFirstMs(), betweenMs: hourMs };
  jobs.push(keepDoing(dropAll, { what: 'drop parts of which nothing is left', ...dropTimes, log }));
  if (writesWindows) {
    const times = { firstMs: tidyFirstMs(), betweenMs: tidyEveryMs };
    jobs.push(keepDoing((signal) => tidyWindows(options, signal), { what: 'tidy windows', ...times, log }));
  }
  if (copiesSamples) {
    const times = { firstMs: 0, betweenMs: copyEveryMs };
    const what = 'copy values of samples into windows';
    let isWhole = false;
    const copy = async (signal: AbortSignal) => {
      const wasApplied = isWhole || (await applyToldDeletes(options, signal));
      isWhole = false;
      const { isApplied } = await copySamples(options, signal);
      isWhole = wasApplied && isApplied;
    };
    jobs.push(keepDoing(copy, { what, ...times, log }));
  }
  return {
    async close() {
      await Promise.all(jobs.map((job) => job.close()));
    },
  };
}
