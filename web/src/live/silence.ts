import { widestSpacing } from '../lines/gaps.ts';
import type { TraceLoad } from '../lines/traces.ts';
import type { News } from './news.ts';

/** Nothing for a shorter time is never told. */
export const leastMs = 5000;
/** Packages come as late as this, measured by the pauses before. */
const usualPauses = 2;

/**
 * How long (ms) nothing may come before it is told: a device that sends once a minute is silent for a minute. It goes by the usual
 * spacing of rows, where a few are there to tell it, and by how packages came lately.
 */
export function longestSilence(load: TraceLoad | undefined, current: News | undefined): number {
  let spacing = Number.POSITIVE_INFINITY;
  for (const { live } of load?.traces ?? []) {
    if (live !== undefined) spacing = Math.min(spacing, widestSpacing(live.rows().times));
  }
  const seen = load === undefined ? 0 : Number(load.range.to - load.range.from);
  const rowMs = (spacing === Number.POSITIVE_INFINITY ? usualPauses * seen : spacing) / 1e6;
  return Math.max(leastMs, Math.round(rowMs), usualPauses * (current?.pauseMs ?? 0));
}
