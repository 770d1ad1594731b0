import type { Counts } from './counts.ts';
import type { Extremes } from './extremes.ts';
import type { KeptValues } from './kept-values.ts';
import type { Moments } from './moments.ts';
import type { BytePicks, NumberPicks } from './picks.ts';
import type { KernelColumn, RowTimes, Runs } from './runs.ts';
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

/** Adds a column to all states of its parameter. */
export function addDecoded(
  states: ParameterStates,
  decoded: KernelColumn,
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
