import { isPresent, type Presence } from '../../domain/parameter-data.ts';
import type { TagSet } from '../../domain/tags.ts';
import type { Extremes } from './extremes.ts';
import { type FrameStateName, goByFrames, type ParameterStates, type State } from './parameter-states.ts';
import type { NumberPicks } from './picks.ts';

/**
 * Blocks of rows that follow one another in one stream, of which only totals are known. Those of the places [from, to) are
 * added: all their rows are wanted and fall into one bucket.
 */
export interface TotalRows {
  readonly from: number;
  readonly to: number;
  /** Nanoseconds; the rows of a block are from `base + firstOffset(block)` to `base + lastOffset(block)`. */
  readonly base: bigint;
  firstOffset(block: number): number;
  lastOffset(block: number): number;
  /** The tags of all rows, as far as they matter. */
  readonly tags: TagSet;
  /** Aligned with the plan's parameters. */
  readonly columns: readonly (TotalValues | undefined)[];
}

/** Totals of the values of a column of numbers, NaN in all where they are not known. No value of a known block is NaN. */
export interface TotalValues {
  readonly count: Float64Array;
  /** By time; without values they mean nothing. */
  readonly first: Float64Array;
  readonly last: Float64Array;
  /** NaN without values. */
  readonly min: Float64Array;
  readonly max: Float64Array;
  /** 0 without values. */
  readonly sum: Float64Array;
  /** A bit for each sum that is exact, rounded once to a double; others are plain additions. */
  readonly isExact: Presence;
}

/** What totals have to tell to be as good as the rows. */
export interface TotalsNeeded {
  /** The places of parameters whose sums have to be exact. */
  readonly sums: readonly boolean[];
  /** The places of parameters of which the smallest, the largest, the first or the last value is wanted. */
  readonly ends: readonly boolean[];
  /** Every row has a value of every parameter: else nobody knows when the first one was. */
  readonly allValues: boolean;
}

/** Undefined where totals are never enough, whatever the tags are. */
export function totalsNeeded(
  parameters: readonly ParameterStates[],
  needsTimes: boolean,
): TotalsNeeded | undefined {
  if (!parameters.every(goByFrames)) return undefined;
  const picks = parameters.map(
    (states) => states.firstNumber !== undefined || states.lastNumber !== undefined,
  );
  return {
    sums: parameters.map(({ sums }) => sums !== undefined),
    ends: parameters.map(
      (states, i) => picks[i]! || states.maxima !== undefined || states.minima !== undefined,
    ),
    allValues: needsTimes || picks.includes(true),
  };
}

/** Whether the totals of a block of so many rows are enough. */
export function areEnough(
  { sums, allValues }: TotalsNeeded,
  columns: readonly (TotalValues | undefined)[],
  block: number,
  rows: number,
): boolean {
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i];
    if (column === undefined) continue;
    const count = column.count[block]!;
    if (Number.isNaN(count) || (allValues && count !== rows)) return false;
    if (sums[i] === true && !isPresent(column.isExact, block)) return false;
  }
  return true;
}

/** Whether some block has a value. */
export function hasValues({ columns, from, to }: TotalRows): boolean {
  for (const column of columns)
    if (column !== undefined) for (let i = from; i < to; i++) if (column.count[i]! > 0) return true;
  return false;
}

/** Adds the blocks to one slot of a parameter's states; all of these go by frames. */
export function addTotals(states: ParameterStates, slot: number, column: TotalValues, rows: TotalRows): void {
  for (const name in states) addTo(states, name as FrameStateName, slot, column, rows);
}

function addTo<Name extends FrameStateName>(
  states: ParameterStates,
  name: Name,
  slot: number,
  column: TotalValues,
  rows: TotalRows,
): void {
  const add = totalsTable[name] as unknown as Adder<State<Name>>;
  add(states[name]!, slot, column, rows);
}

type Adder<State> = (state: State, slot: number, column: TotalValues, rows: TotalRows) => void;

const extremesOf =
  (total: 'max' | 'min'): Adder<Extremes> =>
  (state, slot, column, { from, to }) =>
    state.addValues(slot, column[total], from, to);

const picksOf =
  (edge: 'first' | 'last'): Adder<NumberPicks> =>
  (state, slot, column, { from, to, base, firstOffset, lastOffset }) => {
    const block = edge === 'first' ? from : to - 1;
    const offset = edge === 'first' ? firstOffset(block) : lastOffset(block);
    state.offer(slot, column[edge][block]!, base + BigInt(offset));
  };

const totalsTable: { readonly [Name in FrameStateName]: Adder<State<Name>> } = {
  counts: (state, slot, { count }, { from, to }) => state.addCounts(slot, count, from, to),
  sums: (state, slot, column, { from, to }) => state.addSums(slot, column, column.count, from, to),
  maxima: extremesOf('max'),
  minima: extremesOf('min'),
  firstNumber: picksOf('first'),
  lastNumber: picksOf('last'),
};
