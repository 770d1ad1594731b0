import { ByteReader } from '../codecs/byte-reader.ts';
import type { ByteWriter } from '../codecs/byte-writer.ts';
import { decodeIntegers, encodeIntegers } from '../codecs/integer-frames.ts';
import type { GroupHandle } from '../codecs/row-group-directory.ts';
import { type ColumnSets, decodeColumnSets, encodeColumnSets } from './column-sets.ts';

/**
 * The index of a part file:
 *
 *   column sets (column-sets.ts)
 *   runs        integer frames (integer-frames.ts), one number for each run in each: stream; window less that of the
 *               part; number of the column set; row groups; length of the statistics
 *   row groups  integer frames, one number for each group in each: rows; smallest offset; largest - smallest
 *               offset; length of the head; length of what follows it
 *
 * A run has the row groups of one stream that have one set of columns and lie in one window, in order of time. Runs come
 * by stream and window; no two of a stream and window have a column in common. Row groups lie one after another from the
 * start of the file, so their positions are sums of lengths; so do the statistics after them, run by run.
 */
export interface PartIndex {
  /** Of row groups. */
  readonly count: number;
  readonly runs: Runs;
  readonly groups: Groups;
}

export interface Runs {
  readonly count: number;
  readonly streams: Uint32Array;
  /** The first window of the part. */
  readonly window: number;
  /** Per run; undefined where all lie in that window. */
  readonly windows: Int32Array | undefined;
  /** Column sets by number. */
  readonly sets: Uint32Array;
  readonly columnSets: ColumnSets;
  /** Per run the end of its row groups. */
  readonly ends: Uint32Array;
  /** Per run the end of its statistics in the file. */
  readonly statisticsEnds: Float64Array;
  /** The runs by stream, window and then set; undefined where they stand so. */
  readonly bySet: Uint32Array | undefined;
}

export interface Groups {
  readonly rows: Uint16Array;
  /** Nanoseconds from the start of the window, as are `maxOffsets`. */
  readonly minOffsets: Float64Array;
  readonly maxOffsets: Float64Array;
  readonly headLengths: Uint32Array;
  readonly lengths: Uint32Array;
  /** Where each sixteenth group begins in the file, and the end of all. */
  readonly positions: Float64Array;
}

/** A run as it is written. */
export interface WrittenRun {
  readonly stream: number;
  readonly window: number;
  readonly set: number;
  readonly groups: number;
  readonly statisticsLength: number;
}

/** A row group as it is written, behind the one before. */
export type WrittenGroup = Pick<GroupHandle, 'rows' | 'minOffset' | 'maxOffset' | 'headLength' | 'length'>;

const positionStep = 16;

export function encodeIndex(
  out: ByteWriter,
  window: number,
  sets: readonly (readonly number[])[],
  runs: readonly WrittenRun[],
  groups: readonly WrittenGroup[],
): void {
  encodeColumnSets(out, sets);
  encodeEach(out, runs, ({ stream }) => stream);
  encodeEach(out, runs, (run) => run.window - window);
  encodeEach(out, runs, ({ set }) => set);
  encodeEach(out, runs, (run) => run.groups);
  encodeEach(out, runs, ({ statisticsLength }) => statisticsLength);
  encodeEach(out, groups, ({ rows }) => rows);
  encodeEach(out, groups, ({ minOffset }) => minOffset);
  encodeEach(out, groups, ({ minOffset, maxOffset }) => maxOffset - minOffset);
  encodeEach(out, groups, ({ headLength }) => headLength);
  encodeEach(out, groups, ({ length, headLength }) => length - headLength);
}

/** Integer frames with a number of each item. */
function encodeEach<T>(out: ByteWriter, items: readonly T[], numberOf: (item: T) => number): void {
  const numbers = new Float64Array(items.length);
  for (let i = 0; i < items.length; i++) numbers[i] = numberOf(items[i]!);
  encodeIntegers(out, numbers, numbers.length);
}

/** What the footer says of an index. */
export interface IndexSize {
  /** The first window. */
  readonly window: number;
  readonly runs: number;
  readonly groups: number;
}

/** Reads the index of so many runs and row groups; these and their statistics fill the file up to `end`. */
export function decodeIndex(
  bytes: Buffer,
  { window, runs: runCount, groups: groupCount }: IndexSize,
  end: number,
): PartIndex {
  const reader = new ByteReader(bytes);
  const sets = decodeColumnSets(reader);
  const streams = Uint32Array.from(decodeIntegers(reader, runCount));
  const windows = decodeWindows(reader, runCount, window);
  const setOf = Uint32Array.from(decodeIntegers(reader, runCount));
  const ends = Uint32Array.from(decodeIntegers(reader, runCount));
  const statisticsEnds = decodeIntegers(reader, runCount);
  const groups = decodeGroups(reader, groupCount);
  let position = groups.positions.at(-1)!;
  for (let run = 0; run < runCount; run++) {
    if (setOf[run]! >= sets.count) throw new RangeError('a run has a column set that is not there');
    if (run > 0) ends[run]! += ends[run - 1]!;
    position += statisticsEnds[run]!;
    statisticsEnds[run] = position;
  }
  if (position !== end || (ends[runCount - 1] ?? 0) !== groupCount || reader.position !== reader.end) {
    throw new RangeError('the lengths do not add up');
  }
  const bySet = orderBySet(streams, windows, setOf);
  const runs = {
    count: runCount,
    streams,
    window,
    windows,
    sets: setOf,
    columnSets: sets,
    ends,
    statisticsEnds,
    bySet,
  };
  return { count: groupCount, runs, groups };
}

function decodeWindows(reader: ByteReader, count: number, first: number): Int32Array | undefined {
  const later = decodeIntegers(reader, count);
  if (later.every((windows) => windows === 0)) return undefined;
  return Int32Array.from(later, (windows) => first + windows);
}

function decodeGroups(reader: ByteReader, count: number): Groups {
  const rows = Uint16Array.from(decodeIntegers(reader, count));
  const minOffsets = decodeIntegers(reader, count);
  const maxOffsets = decodeIntegers(reader, count);
  const headLengths = Uint32Array.from(decodeIntegers(reader, count));
  const lengths = Uint32Array.from(decodeIntegers(reader, count));
  const positions = new Float64Array(Math.ceil(count / positionStep) + 1);
  let position = 0;
  for (let i = 0; i < count; i++) {
    maxOffsets[i]! += minOffsets[i]!;
    lengths[i]! += headLengths[i]!;
    if (i % positionStep === 0) positions[i / positionStep] = position;
    position += lengths[i]!;
  }
  positions[positions.length - 1] = position;
  return { rows, minOffsets, maxOffsets, headLengths, lengths, positions };
}

function orderBySet(
  streams: Uint32Array,
  windows: Int32Array | undefined,
  sets: Uint32Array,
): Uint32Array | undefined {
  const isBefore = (a: number, b: number) => windows !== undefined && windows[a]! < windows[b]!;
  let isSorted = true;
  for (let i = 1; i < sets.length && isSorted; i++) {
    isSorted = streams[i - 1]! < streams[i]! || isBefore(i - 1, i) || sets[i - 1]! < sets[i]!;
  }
  if (isSorted) return undefined;
  const between = (a: number, b: number) => (windows === undefined ? 0 : windows[a]! - windows[b]!);
  return Uint32Array.from(sets.keys()).sort(
    (a, b) => streams[a]! - streams[b]! || between(a, b) || sets[a]! - sets[b]!,
  );
}

/** What an index takes besides its numbers: so many arrays and objects. */
const indexOverheadBytes = 3000;

/** Memory that an index takes, in bytes. */
export function indexBytes({ runs, groups }: PartIndex): number {
  const { rows, minOffsets, maxOffsets, headLengths, lengths, positions } = groups;
  const { streams, windows, sets, ends, statisticsEnds, bySet } = runs;
  const arrays = [
    rows,
    minOffsets,
    maxOffsets,
    headLengths,
    lengths,
    positions,
    streams,
    ends,
    statisticsEnds,
    sets,
  ];
  return [...arrays, windows, bySet].reduce(
    (sum, array) => sum + (array?.byteLength ?? 0),
    runs.columnSets.bytes + indexOverheadBytes,
  );
}

/** The first row group of a run. */
export function runStart({ ends }: Runs, run: number): number {
  return run === 0 ? 0 : ends[run - 1]!;
}

/** Where the statistics of a run stand in the file; both the same where there are none. */
export function statisticsOf({ runs, groups }: PartIndex, run: number): { start: number; end: number } {
  const start = run === 0 ? groups.positions.at(-1)! : runs.statisticsEnds[run - 1]!;
  return { start, end: runs.statisticsEnds[run]! };
}

/** The window that a run lies in. */
export function windowOfRun({ window, windows }: Runs, run: number): number {
  return windows?.[run] ?? window;
}

/** The windows that a part has rows in, ascending. */
export function windowsOfIndex({ runs }: PartIndex): readonly number[] {
  if (runs.windows === undefined) return [runs.window];
  return [...new Set(runs.windows)].sort((a, b) => a - b);
}

/** The parameters of a run's columns. */
export function runParameters({ sets, columnSets }: Runs, run: number): Uint32Array {
  return columnSets.parameters(sets[run]!);
}

export function groupAt(index: PartIndex, run: number, i: number): GroupHandle {
  const { rows, minOffsets, maxOffsets, headLengths, lengths } = index.groups;
  return {
    stream: index.runs.streams[run]!,
    parameters: runParameters(index.runs, run),
    rows: rows[i]!,
    window: windowOfRun(index.runs, run),
    minOffset: minOffsets[i]!,
    maxOffset: maxOffsets[i]!,
    position: positionOf(index, i),
    headLength: headLengths[i]!,
    length: lengths[i]!,
  };
}

/** Where a row group begins in the file. */
export function positionOf({ groups }: PartIndex, i: number): number {
  const step = Math.floor(i / positionStep);
  let position = groups.positions[step]!;
  for (let before = step * positionStep; before < i; before++) position += groups.lengths[before]!;
  return position;
}

/** All groups of an index, in order of their places in the file. */
export function* allGroups(index: PartIndex): Generator<GroupHandle> {
  for (let run = 0; run < index.runs.count; run++) {
    for (let i = runStart(index.runs, run); i < index.runs.ends[run]!; i++) yield groupAt(index, run, i);
  }
}
