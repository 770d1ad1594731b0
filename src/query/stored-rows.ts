import { addDecoded, goByFrames, type ParameterStates } from './parameter-states.ts';
import {
  emptyRuns,
  frameRows,
  type KernelColumn,
  type NumberValues,
  type RowTimes,
  type Runs,
  skipped,
  type UncutRows,
  widened,
} from './runs.ts';

/**
 * Rows as they are stored, which are decoded only as far as an aggregation needs them. Some column of them is dense,
 * so that each row has a value.
 */
export interface StoredRows extends UncutRows {
  /** Aligned with the plan's parameters. */
  readonly columns: readonly (StoredColumn | undefined)[];
}

/** What comes out of it is valid until the next column is asked. */
export interface StoredColumn {
  /** Whether every row has a value. */
  readonly isDense: boolean;
  readonly isNumeric: boolean;
  decode(): KernelColumn;
  /** Of a dense column of numbers; undefined where nothing is known beforehand. */
  statistics(): FrameValues | undefined;
  /** A dense column of numbers, decoded in the frames that are marked; the rest of it means nothing. */
  decodeFrames(marks: Uint8Array): NumberValues;
}

/** What is known of each frame of `frameRows` rows (the last may be shorter) without decoding it; NaN where nothing is. */
export interface FrameValues {
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly sum: Float64Array;
  /** Whether the sums are exact, or rounded once; others are as good as plain addition. */
  readonly hasExactSums: boolean;
}

// Memory that is used again for every column of every query: adding one is never interrupted.

/** Runs of whole frames that are known; what lies between is skipped. */
const frames = emptyRuns();
/** Runs of the rows that the known frames leave over. */
const rest = emptyRuns();
/** A 1 for each frame that has to be decoded. */
let marks = new Uint8Array(64);

/** Adds a column to the states of its parameter, from what is known of whole frames where that is enough. */
export function addStored(states: ParameterStates, column: StoredColumn, runs: Runs, times: RowTimes): void {
  if (column.isDense && goByFrames(states) && addByFrames(states, column, runs, times)) {
    states.counts?.add(countable, runs);
    return;
  }
  addDecoded(states, decodeWanted(column, runs), runs, times);
}

const countable: KernelColumn = { values: new Float64Array(0), present: undefined };

/** Whether it pays to go by frames; then `frames`, `rest` and `marks` say how. */
function split(states: ParameterStates, runs: Runs, statistics: FrameValues | undefined): boolean {
  const count = runs.ends[runs.count - 1]!;
  const frameCount = Math.ceil(count / frameRows);
  frames.count = 0;
  rest.count = 0;
  if (marks.length < frameCount) marks = new Uint8Array(2 * frameCount);
  else marks.fill(0, 0, frameCount);
  for (let run = 0, from = 0; run < runs.count; run++) {
    const to = runs.ends[run]!;
    const slot = runs.slots[run]!;
    if (slot !== skipped) {
      if (states.firstNumber !== undefined) marks[Math.floor(from / frameRows)] = 1;
      if (states.lastNumber !== undefined) marks[Math.floor((to - 1) / frameRows)] = 1;
      if (statistics !== undefined)
        splitRun(statistics, slot, from, to, to === count ? frameCount : undefined);
    }
    from = to;
  }
  return 2 * markedOf(frameCount) <= frameCount;
}

/** Shares out the rows [from, to) of a run: whole frames that are known, and the rest. */
function splitRun(
  { max }: FrameValues,
  slot: number,
  from: number,
  to: number,
  lastFrame: number | undefined,
): void {
  const endFrame = lastFrame ?? Math.floor(to / frameRows);
  let row = from;
  for (let frame = Math.ceil(from / frameRows); frame < endFrame; frame++) {
    if (Number.isNaN(max[frame]!)) continue;
    leave(slot, row, frame * frameRows);
    pushRun(frames, frame, frame + 1, slot);
    row = Math.min(to, (frame + 1) * frameRows);
  }
  leave(slot, row, to);
}

function leave(slot: number, from: number, to: number): void {
  if (from >= to) return;
  pushRun(rest, from, to, slot);
  for (let frame = Math.floor(from / frameRows); frame * frameRows < to; frame++) marks[frame] = 1;
}

function markedOf(frameCount: number): number {
  let marked = 0;
  for (let frame = 0; frame < frameCount; frame++) marked += marks[frame]!;
  return marked;
}

/** Adds what it can by frames; false where the column has to be decoded. */
function addByFrames(states: ParameterStates, column: StoredColumn, runs: Runs, times: RowTimes): boolean {
  const { sums, maxima, minima, firstNumber, lastNumber } = states;
  const count = runs.ends[runs.count - 1]!;
  const picks = firstNumber !== undefined || lastNumber !== undefined;
  const summarises = sums !== undefined || maxima !== undefined || minima !== undefined;
  if (!summarises && !picks) return true;
  // Shorter runs hardly hold a whole frame.
  if (count < 2 * frameRows * runs.count) return false;
  const statistics = summarises ? column.statistics() : undefined;
  if (summarises && (statistics === undefined || (sums !== undefined && !statistics.hasExactSums)))
    return false;
  if (!split(states, runs, statistics)) return false;
  if (statistics !== undefined) {
    maxima?.add({ values: statistics.max, present: undefined }, frames);
    minima?.add({ values: statistics.min, present: undefined }, frames);
    sums?.addFrames(statistics.sum, frames, count);
  }
  if (markedOf(Math.ceil(count / frameRows)) === 0) return true;
  const values = column.decodeFrames(marks);
  sums?.add(values, rest);
  maxima?.add(values, rest);
  minima?.add(values, rest);
  firstNumber?.add(values, runs, times);
  lastNumber?.add(values, runs, times);
  return true;
}

/** All of a column, or the frames of it that hold wanted rows. */
function decodeWanted(column: StoredColumn, { count, ends, slots }: Runs): KernelColumn {
  if (!column.isDense || !column.isNumeric || count === 0) return column.decode();
  const rows = ends[count - 1]!;
  const begin = slots[0] === skipped ? ends[0]! : 0;
  const end = slots[count - 1] === skipped ? (count > 1 ? ends[count - 2]! : 0) : rows;
  const frameCount = Math.ceil(rows / frameRows);
  const firstFrame = Math.floor(begin / frameRows);
  const endFrame = Math.ceil(end / frameRows);
  if (endFrame - firstFrame >= frameCount) return column.decode();
  if (marks.length < frameCount) marks = new Uint8Array(2 * frameCount);
  else marks.fill(0, 0, frameCount);
  marks.fill(1, firstFrame, endFrame);
  return column.decodeFrames(marks);
}

/** Adds the run [from, to), and one that skips what lies between it and the run before. */
function pushRun(runs: Runs, from: number, to: number, slot: number): void {
  const before = runs.count === 0 ? 0 : runs.ends[runs.count - 1]!;
  if (from > before) put(runs, from, skipped);
  if (runs.count > 0 && runs.slots[runs.count - 1] === slot) runs.ends[runs.count - 1] = to;
  else put(runs, to, slot);
}

function put(runs: Runs, end: number, slot: number): void {
  if (runs.count === runs.ends.length) {
    runs.ends = widened(runs.ends);
    runs.slots = widened(runs.slots);
  }
  runs.ends[runs.count] = end;
  runs.slots[runs.count] = slot;
  runs.count++;
}
