import { type Reading, readingAt } from '../lines/reading.ts';
import { stateAt } from '../lines/states.ts';
import type { Trace } from '../lines/traces.ts';
import { isStrip } from './plot-parts.ts';

/** What a trace says at a place: a line its nearest point, a strip the state that holds there. */
export function readTrace(trace: Trace, place: number, reach: number): Reading | undefined {
  return isStrip(trace) ? stateAt(trace, place, reach) : readingAt(trace.points, place, reach);
}
