import type { ColumnValues, NumberValues, RowTimes } from '../runs/rows-to-aggregate.ts';
import type { Runs } from '../runs/runs.ts';
import type { Joinable } from './accumulator.ts';
import type { CollectedValues } from './collected-values.ts';
import type { Counts } from './counts.ts';
import type { Extremes } from './extremes.ts';
import type { Moments } from './moments.ts';
import type { BytePicks, NumberPicks } from './picks.ts';
import type { Sums } from './sums.ts';

/** What is kept of one parameter: only the states that its aggregations need, each once. */
export interface ParameterStates {
  counts?: Counts;
  sums?: Sums;
  maxima?: Extremes;
  minima?: Extremes;
  moments?: Moments;
  kept?: CollectedValues;
  firstNumber?: NumberPicks;
  lastNumber?: NumberPicks;
  firstBytes?: BytePicks;
  lastBytes?: BytePicks;
}

/** How a column is added to one kind of state. */
interface StateRecord<State> {
  /**
   * Whether it can do without the values of most frames. Then it needs a record in `frameTable` (stored-rows.ts) and one in
   * `totalsTable` (total-rows.ts), too.
   */
  readonly byFrames: boolean;
  /** Adds what it takes of a column: some states take numbers, others the rest. */
  add(state: State, column: ColumnValues, runs: Runs, times: RowTimes): void;
}

/** Of a state that takes numbers. */
function ofNumbers<ByFrames extends boolean>(byFrames: ByFrames) {
  return {
    byFrames,
    add(
      state: { add(column: NumberValues, runs: Runs, times: RowTimes): void },
      column: ColumnValues,
      runs: Runs,
      times: RowTimes,
    ) {
      if (!('ends' in column)) state.add(column, runs, times);
    },
  };
}

/** Of a state that takes strings and binaries. */
const ofBytes = {
  byFrames: false,
  add(state: BytePicks, column: ColumnValues, runs: Runs, times: RowTimes) {
    if ('ends' in column) state.add(column, runs, times);
  },
} as const;

const stateTable = {
  counts: {
    byFrames: true,
    add(state: Counts, column: ColumnValues, runs: Runs) {
      state.add(column, runs);
    },
  },
  sums: ofNumbers(true),
  maxima: ofNumbers(true),
  minima: ofNumbers(true),
  moments: ofNumbers(false),
  kept: ofNumbers(false),
  firstNumber: ofNumbers(true),
  lastNumber: ofNumbers(true),
  firstBytes: ofBytes,
  lastBytes: ofBytes,
} as const satisfies { [Name in StateName]: StateRecord<State<Name>> };

export type StateName = keyof ParameterStates;
export type State<Name extends StateName> = NonNullable<ParameterStates[Name]>;

/** The states that go by frames. */
export type FrameStateName = {
  [Name in StateName]: (typeof stateTable)[Name]['byFrames'] extends true ? Name : never;
}[StateName];

/** Whether all states can do without the values of most frames. */
export function goByFrames(states: ParameterStates): boolean {
  for (const name in states) if (!stateTable[name as StateName].byFrames) return false;
  return true;
}

/** What the states of one parameter give, as plain data. */
export type PartialStates = { readonly [Name in StateName]?: PartialOf<State<Name>> };

type PartialOf<One> = One extends Joinable<infer Given> ? Given : never;

export function giveStates(states: ParameterStates): PartialStates {
  const given: Record<string, unknown> = {};
  for (const name in states) given[name] = states[name as StateName]!.give();
  return given as PartialStates;
}

/** Joins what the same states have given; `slots` has the slot here of each slot there. */
export function joinStates(states: ParameterStates, given: PartialStates, slots: Uint32Array): void {
  for (const name in states) {
    const state = states[name as StateName] as Joinable<unknown>;
    state.join(given[name as StateName], slots);
  }
}

/** Adds a column to all states of its parameter. */
export function addDecoded(
  states: ParameterStates,
  decoded: ColumnValues,
  runs: Runs,
  times: RowTimes,
): void {
  for (const name in states) addTo(states, name as StateName, decoded, runs, times);
}

function addTo<Name extends StateName>(
  states: ParameterStates,
  name: Name,
  decoded: ColumnValues,
  runs: Runs,
  times: RowTimes,
): void {
  const record = stateTable[name] as unknown as StateRecord<State<Name>>;
  record.add(states[name]!, decoded, runs, times);
}
