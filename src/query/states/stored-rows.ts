import {
  type ColumnValues,
  frameRows,
  type NumberValues,
  type RowsToAggregate,
  type RowTimes,
} from '../runs/rows-to-aggregate.ts';
import { emptySums, pushRun, type RunSums, type Runs, type ScratchRuns, skipped } from '../runs/runs.ts';
import type { Extremes } from './extremes.ts';
import {
  addDecoded,
  type FrameStateName,
  goByFrames,
  type ParameterStates,
  type State,
} from './parameter-states.ts';
import type { NumberPicks } from './picks.ts';
import type { Sums } from './sums.ts';

/**
 * Rows as they are stored: decoded only as far as an aggregation needs them. At least one column is dense, so each row
 * has a value, or those without one are hidden.
 */
export interface StoredRows extends RowsToAggregate {
  /** Aligned with the plan's parameters. */
  readonly columns: readonly (StoredColumn | undefined)[];
}

/** What its methods give is valid until another column is asked. */
export interface StoredColumn {
  /** Whether every row has a value. */
  readonly isDense: boolean;
  readonly isNumeric: boolean;
  /** Numbers may be put into `into`, which has room for those of all rows: there they are valid until somebody else writes. */
  decode(into?: Float64Array): ColumnValues;
  /** Only of a dense column of numbers; its sums mean nothing without `withSums`. Undefined where nothing is known without decoding. */
  statistics(withSums: boolean): FrameValues | undefined;
  /** The exact sums of the runs of such a column to `sums`; false where they are not to be had. */
  sumRuns(runs: Runs, sums: RunSums): boolean;
  /** Only of a dense column of numbers: decodes the frames that have a 1 in `marks`. Values of others are undefined. */
  decodeFrames(marks: Uint8Array): NumberValues;
}

/** What is known of each frame of `frameRows` rows (the last may be shorter) without decoding it; NaN where nothing is. */
export interface FrameValues {
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly sum: Float64Array;
  /** Whether the sums are exact or rounded once. Otherwise they are as good as plain addition. */
  readonly hasExactSums: boolean;
}

/** Adds a column to the states of its parameter, from what is known of whole frames where that is enough. */
export function addStored(
  states: ParameterStates,
  column: StoredColumn,
  scratch: ScratchRuns,
  times: RowTimes,
): void {
  const { runs } = scratch;
  if (column.isDense && goByFrames(states) && addByFrames(states, column, scratch, times)) {
    states.counts?.add(countable, runs);
    return;
  }
  addDecoded(states, decodeWanted(column, scratch), runs, times);
}

const countable: ColumnValues = { values: new Float64Array(0), present: undefined };

/** Whether it pays to add by frames; if so, `frames`, `rest` and `marks` of the scratch say how. */
function split(states: ParameterStates, scratch: ScratchRuns, statistics: FrameValues | undefined): boolean {
  const { runs, frames, rest } = scratch;
  const count = runs.ends[runs.count - 1]!;
  const frameCount = Math.ceil(count / frameRows);
  frames.count = 0;
  rest.count = 0;
  const marks = clearedMarks(scratch, frameCount);
  for (let run = 0, from = 0; run < runs.count; run++) {
    const to = runs.ends[run]!;
    const slot = runs.slots[run]!;
    if (slot !== skipped) {
      if (states.firstNumber !== undefined) marks[Math.floor(from / frameRows)] = 1;
      if (states.lastNumber !== undefined) marks[Math.floor((to - 1) / frameRows)] = 1;
      if (statistics !== undefined)
        splitRun(scratch, statistics, slot, from, to, to === count ? frameCount : undefined);
    }
    from = to;
  }
  return 2 * markedOf(marks, frameCount) <= frameCount;
}

/** The marks of so many frames, all 0. */
function clearedMarks(scratch: ScratchRuns, frameCount: number): Uint8Array {
  if (scratch.marks.length < frameCount) scratch.marks = new Uint8Array(2 * frameCount);
  else scratch.marks.fill(0, 0, frameCount);
  return scratch.marks;
}

/** Shares out the rows [from, to) of a run: whole frames that are known, and the rest. */
function splitRun(
  scratch: ScratchRuns,
  { max }: FrameValues,
  slot: number,
  from: number,
  to: number,
  lastFrame: number | undefined,
): void {
  const endFrame = lastFrame ?? Math.floor(to / frameRows);
  let row = from;
  for (let frame = Math.ceil(from / frameRows); frame < endFrame; frame++) {
    const known = frame;
    while (frame < endFrame && !Number.isNaN(max[frame]!)) frame++;
    if (frame === known) continue;
    leave(scratch, slot, row, known * frameRows);
    pushApart(scratch.frames, known, frame, slot);
    row = Math.min(to, frame * frameRows);
  }
  leave(scratch, slot, row, to);
}

function leave({ rest, marks }: ScratchRuns, slot: number, from: number, to: number): void {
  if (from >= to) return;
  pushApart(rest, from, to, slot);
  for (let frame = Math.floor(from / frameRows); frame * frameRows < to; frame++) marks[frame] = 1;
}

function markedOf(marks: Uint8Array, frameCount: number): number {
  let marked = 0;
  for (let frame = 0; frame < frameCount; frame++) marked += marks[frame]!;
  return marked;
}

/** How a state adds a column of which most frames are not decoded. */
interface FrameRecord<State> {
  /** What it takes of a whole frame: `statistics` or, of each run, only the frames at its `ends`; nothing. */
  readonly takes: 'statistics' | 'ends' | 'nothing';
  /** Adds frames by their statistics; `count` is the number of rows. */
  addFrames?(state: State, statistics: FrameValues, frames: Runs, count: number): void;
  /** Adds the frames that are decoded: the rows of `rest` are all that `addFrames` did not add. */
  addRest?(state: State, values: NumberValues, scratch: ScratchRuns, times: RowTimes): void;
}

const extremesByFrames = (statistic: 'max' | 'min'): FrameRecord<Extremes> => ({
  takes: 'statistics',
  addFrames: (state, statistics, frames) =>
    state.add({ values: statistics[statistic], present: undefined }, frames),
  addRest: (state, values, { rest }) => state.add(values, rest),
});

const picksByFrames: FrameRecord<NumberPicks> = {
  takes: 'ends',
  addRest: (state, values, { runs }, times) => state.add(values, runs, times),
};

const frameTable: { readonly [Name in FrameStateName]: FrameRecord<State<Name>> } = {
  // Every row of a dense column counts: addStored does it.
  counts: { takes: 'nothing' },
  sums: {
    takes: 'statistics',
    addFrames: (state, statistics, frames, count) => state.addFrames(statistics, frames, count),
    addRest: (state, values, { rest }) => state.add(values, rest),
  },
  maxima: extremesByFrames('max'),
  minima: extremesByFrames('min'),
  firstNumber: picksByFrames,
  lastNumber: picksByFrames,
};

function takes(states: ParameterStates, what: FrameRecord<unknown>['takes']): boolean {
  for (const name in states) if (frameTable[name as FrameStateName].takes === what) return true;
  return false;
}

function forEachState(
  states: ParameterStates,
  visit: (record: FrameRecord<unknown>, state: unknown) => void,
): void {
  for (const name in states)
    visit(frameTable[name as FrameStateName] as FrameRecord<unknown>, states[name as FrameStateName]);
}

/** Adds what it can by frames; false where the column has to be decoded. All states go by frames. */
function addByFrames(
  states: ParameterStates,
  column: StoredColumn,
  scratch: ScratchRuns,
  times: RowTimes,
): boolean {
  const { runs, frames } = scratch;
  const count = runs.ends[runs.count - 1]!;
  const summarises = takes(states, 'statistics');
  if (!summarises && !takes(states, 'ends')) return true;
  const sums = onlySums(states);
  if (sums !== undefined && count >= fewestOfRun * runs.count && addSums(sums, column, scratch)) return true;
  // Shorter runs seldom contain a whole frame.
  if (count < 2 * frameRows * runs.count) return false;
  const statistics = summarises ? column.statistics(states.sums !== undefined) : undefined;
  if (summarises && (statistics === undefined || (states.sums !== undefined && !statistics.hasExactSums)))
    return false;
  if (!split(states, scratch, statistics)) return false;
  if (statistics !== undefined)
    forEachState(states, (record, state) => record.addFrames?.(state, statistics, frames, count));
  if (markedOf(scratch.marks, Math.ceil(count / frameRows)) === 0) return true;
  const values = column.decodeFrames(scratch.marks);
  forEachState(states, (record, state) => record.addRest?.(state, values, scratch, times));
  return true;
}

/** Where runs have fewer rows on the average their values are added as fast. */
const fewestOfRun = frameRows / 8;

/** The sums, where no other state wants to know anything of values. */
function onlySums(states: ParameterStates): Sums | undefined {
  for (const name in states) if (name !== 'sums' && name !== 'counts') return undefined;
  return states.sums;
}

/** Adds a sum for each run; false where they are not to be had. */
function addSums(sums: Sums, column: StoredColumn, scratch: ScratchRuns): boolean {
  const { runs } = scratch;
  if (runs.count > scratch.sums.high.length) scratch.sums = emptySums(runs.ends.length);
  if (!column.sumRuns(runs, scratch.sums)) return false;
  sums.addRuns(scratch.sums, runs);
  return true;
}

/** All of a column, or the frames of it that hold wanted rows. */
function decodeWanted(column: StoredColumn, scratch: ScratchRuns): ColumnValues {
  const { count, ends, slots } = scratch.runs;
  if (!column.isDense || !column.isNumeric || count === 0) return column.decode();
  const rows = ends[count - 1]!;
  const begin = slots[0] === skipped ? ends[0]! : 0;
  const end = slots[count - 1] === skipped ? (count > 1 ? ends[count - 2]! : 0) : rows;
  const frameCount = Math.ceil(rows / frameRows);
  const firstFrame = Math.floor(begin / frameRows);
  const endFrame = Math.ceil(end / frameRows);
  if (endFrame - firstFrame >= frameCount) return column.decode();
  const marks = clearedMarks(scratch, frameCount);
  marks.fill(1, firstFrame, endFrame);
  return column.decodeFrames(marks);
}

/** Adds the run [from, to), and one that skips what lies between it and the run before. */
function pushApart(runs: Runs, from: number, to: number, slot: number): void {
  const before = runs.count === 0 ? 0 : runs.ends[runs.count - 1]!;
  if (from > before) pushRun(runs, from, skipped);
  pushRun(runs, to, slot);
}
