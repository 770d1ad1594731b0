import { dropEmptyParts } from '../deletes/empty-parts.ts';
import { rowTaker } from '../deletes/take-rows.ts';
import { type Job, keepDoing } from '../server/keep-doing.ts';
import { tidyWindows, type WindowTidyOptions } from './window-tidy.ts';

export type WindowsKept = Omit<WindowTidyOptions, 'takeFrom' | 'settledMs'>;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** How often windows are tidied: it writes whole partitions again. */
const tidyEveryMs = 24 * hourMs;
/** Nodes that start together do not do it at the same time. */
const withinAnHour = (fromMs: number) => fromMs + (hourMs - fromMs) * Math.random();

/** What nodes do in the background with values: they drop parts of which nothing is left, and tidy windows. */
export function keepWindows(given: WindowsKept): Job {
  const { clickhouse, topology, log } = given;
  const options = { ...given, takeFrom: rowTaker(given) };
  const jobs = [
    keepDoing((signal) => dropEmptyParts(clickhouse, topology, signal), {
      what: 'drop parts of which nothing is left',
      firstMs: withinAnHour(5 * minuteMs),
      betweenMs: hourMs,
      log,
    }),
    keepDoing((signal) => tidyWindows(options, signal), {
      what: 'tidy windows',
      firstMs: withinAnHour(10 * minuteMs),
      betweenMs: tidyEveryMs,
      log,
    }),
  ];
  return {
    async close() {
      await Promise.all(jobs.map((job) => job.close()));
    },
  };
}
