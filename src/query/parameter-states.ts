import type { Counts } from './counts.ts';
import type { Extremes } from './extremes.ts';
import type { KeptValues } from './kept-values.ts';
import type { Moments } from './moments.ts';
import type { BytePicks, NumberPicks } from './picks.ts';
import type { ColumnValues, RowTimes } from './rows-to-aggregate.ts';
import type { Runs } from './runs.ts';
import type { Sums } from './sums.ts';

/** What is kept of one parameter: only the states that its aggregations need, each once. */
export interface ParameterStates {
  counts?: Counts;
  sums?: Sums;
  maxima?: Extremes;
  minima?: Extremes;
  moments?: Moments;
  kept?: KeptValues;
  firstNumber?: NumberPicks;
  lastNumber?: NumberPicks;
  firstBytes?: BytePicks;
  lastBytes?: BytePicks;
}

/** Whether a state can add a whole frame by the statistics of the frame; the others need every value. */
const goesByFrames = {
  counts: true,
  sums: true,
  maxima: true,
  minima: true,
  moments: false,
  kept: false,
  firstNumber: true,
  lastNumber: true,
  firstBytes: false,
  lastBytes: false,
} satisfies Record<keyof ParameterStates, boolean>;

export function goByFrames(states: ParameterStates): boolean {
  for (const name in states) if (!goesByFrames[name as keyof ParameterStates]) return false;
  return true;
}

/** Adds a column to all states of its parameter. */
export function addDecoded(
  states: ParameterStates,
  decoded: ColumnValues,
  runs: Runs,
  times: RowTimes,
): void {
  states.counts?.add(decoded, runs);
  if ('ends' in decoded) {
    states.firstBytes?.add(decoded, runs, times);
    states.lastBytes?.add(decoded, runs, times);
    return;
  }
  states.sums?.add(decoded, runs);
  states.maxima?.add(decoded, runs);
  states.minima?.add(decoded, runs);
  states.moments?.add(decoded, runs);
  states.kept?.add(decoded, runs);
  states.firstNumber?.add(decoded, runs, times);
  states.lastNumber?.add(decoded, runs, times);
}
