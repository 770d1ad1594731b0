import { dropEmptyParts } from '../deletes/empty-parts.ts';
import type { Removals } from '../deletes/removals.ts';
import { rowTaker } from '../deletes/take-rows.ts';
import { type Job, keepDoing } from '../server/keep-doing.ts';
import { applyToldDeletes, copySamples } from './window-copy.ts';
import { tidyWindows, type WindowTidyOptions } from './window-tidy.ts';

export interface WindowsKept extends Omit<WindowTidyOptions, 'takeFrom' | 'settledMs'> {
  readonly writesWindows: boolean;
  readonly copiesSamples?: boolean | undefined;
  readonly removals: Pick<Removals, 'finish'>;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** After ten minutes values that were too young to be copied are old enough. */
const copyEveryMs = 10 * minuteMs;
/** Tidying writes whole partitions again. */
const tidyEveryMs = 24 * hourMs;
/** Nodes that start together do not do it at the same time. */
const withinAnHour = (fromMs: number) => fromMs + (hourMs - fromMs) * Math.random();

/**
 * What nodes do in the background with values: they drop parts of which nothing is left; and, as their settings say, tidy windows and
 * copy what is older.
 */
export function keepWindows({ writesWindows, copiesSamples = false, removals, ...given }: WindowsKept): Job {
  const { clickhouse, topology, log } = given;
  const options = { ...given, takeFrom: rowTaker(given), finishRemovals: removals.finish };
  const dropAll = async (signal: AbortSignal) => {
    for (const table of ['samples', 'windows'] as const)
      await dropEmptyParts(clickhouse, topology, table, signal);
  };
  const jobs = [
    keepDoing(dropAll, {
      what: 'drop parts of which nothing is left',
      firstMs: withinAnHour(5 * minuteMs),
      betweenMs: hourMs,
      log,
    }),
  ];
  if (writesWindows) {
    const times = { firstMs: withinAnHour(10 * minuteMs), betweenMs: tidyEveryMs };
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
