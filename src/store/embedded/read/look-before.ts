import { minTimestamp } from '../../../domain/timestamp.ts';
import { runsAlongRows } from '../../../query/calculated.ts';
import type { AggregatePlan } from '../../../query/plan.ts';
import type { TimeList } from '../rows/time-list.ts';
import { windowOf, windowStart } from '../rows/windows.ts';

/**
 * Tells of streams, by their places, whether they have rows before the first wanted time that may matter.
 *
 * @param firsts the first time of each
 */
export function looksBefore(plan: AggregatePlan, firsts: TimeList): (place: number) => boolean {
  if (plan.from === minTimestamp || !runsAlongRows(plan)) return () => false;
  const window = windowOf(plan.from);
  const offset = Number(plan.from - windowStart(window));
  return (place) => firsts.isBefore(place, window, offset);
}
