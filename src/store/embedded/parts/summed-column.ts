import type { RunSums, Runs } from '../../../query/runs/runs.ts';
import type { FrameValues } from '../../../query/states/stored-rows.ts';
import type { Pace } from '../../../turns/pace.ts';
import { sumFrames } from '../codecs/frame-sums.ts';
import {
  type FrameTable,
  frameTable,
  frameTableBytes,
  trimFrames,
  unpackFrame,
} from '../codecs/frame-table.ts';
import { frameSize } from '../codecs/integer-frames.ts';
import type { EncodedGroup } from './encoded-group.ts';
import { groupAt, type PartIndex, runStart } from './part-index.ts';

/**
 * A column of numbers of a part in the form from which sums come fastest: of each row group the heads and totals of its
 * frames in arrays, and their packed bits behind one another. A read of the sums of many streams then makes nothing for a row
 * group. It tells only of groups whose clock is regular and in which every row has a value with a decimal form.
 */
export interface SummedColumn {
  /** By row group of the index: its first frame; -1 of a group of which it does not tell. */
  readonly firstFrames: Int32Array;
  /** By row group: nanoseconds from row to row. */
  readonly steps: Float64Array;
  /** The exact sums of runs of the rows of a group, each rounded once; false where one may not be exact. */
  sumRuns(group: number, rows: number, runs: Runs, sums: RunSums): boolean;
  /** What is known of the frames of a group, to the beginnings of these arrays. */
  statistics(group: number, rows: number, into: Omit<FrameValues, 'hasExactSums'>): void;
  /** Unpacks the frames of a group to the beginning of `values`; with `marks` those that have a 1 there. */
  unpack(group: number, rows: number, values: Float64Array, marks?: Uint8Array): void;
  /** Memory that it takes. */
  readonly bytes: number;
}

/** The memory of a row group. */
const groupBytes = 4 + 8 + 8;
const overheadBytes = 1000;

function bytesOf(groups: number, frames: number, packed: number): number {
  return overheadBytes + groups * groupBytes + frames * frameTableBytes + packed;
}

/**
 * Reads a column; null where it takes more than there is room for.
 *
 * @param viewOf gives a group with one column, in order of the index
 */
export async function readSummedColumn(
  index: PartIndex,
  parameter: number,
  viewOf: (handle: ReturnType<typeof groupAt>) => EncodedGroup | Promise<EncodedGroup>,
  hasRoom: (bytes: number) => boolean,
  pace: Pace,
): Promise<SummedColumn | null> {
  const firstFrames = new Int32Array(index.count).fill(-1);
  const steps = new Float64Array(index.count);
  const scales = new Float64Array(index.count);
  const table = frameTable(1024);
  let packed = Buffer.allocUnsafeSlow(64 * 1024);
  let [frames, length] = [0, 0];
  const has = new Set(index.runs.columnSets.having(parameter));
  for (let run = 0; run < index.runs.count; run++) {
    if (!has.has(index.runs.sets[run]!)) continue;
    if (!hasRoom(bytesOf(index.count, frames, length))) return null;
    for (let group = runStart(index.runs, run); group < index.runs.ends[run]!; group++) {
      const turn = pace();
      if (turn !== undefined) await turn;
      const viewed = viewOf(groupAt(index, run, group));
      add(group, viewed instanceof Promise ? await viewed : viewed);
    }
  }
  if (!hasRoom(bytesOf(index.count, frames, length))) return null;
  return summedColumn(firstFrames, steps, scales, trimFrames(table, frames), packed.subarray(0, length));

  function add(group: number, view: EncodedGroup): void {
    const entry = view.columns.find((column) => column.parameter === parameter);
    if (view.step === undefined || entry === undefined) return;
    const read = view.readFrames(entry, table, frames);
    if (read === undefined) return;
    const { scale, bytes, from } = read;
    if (length + bytes.length > packed.length) {
      const wider = Buffer.allocUnsafeSlow(Math.max(length + bytes.length, 2 * packed.length));
      packed.copy(wider, 0, 0, length);
      packed = wider;
    }
    bytes.copy(packed, length);
    const count = Math.ceil(view.handle.rows / frameSize);
    for (let frame = frames; frame < frames + count; frame++) table.positions[frame]! += length - from;
    length += bytes.length;
    firstFrames[group] = frames;
    steps[group] = view.step;
    scales[group] = scale;
    frames += count;
  }
}

function summedColumn(
  firstFrames: Int32Array,
  steps: Float64Array,
  scales: Float64Array,
  table: FrameTable,
  bytes: Buffer,
): SummedColumn {
  const packed = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(packed);
  const view = new DataView(packed.buffer, 0, packed.length);
  return {
    firstFrames,
    steps,
    sumRuns: (group, rows, runs, sums) =>
      sumFrames(view, table, firstFrames[group]!, rows, scales[group]!, runs, sums),
    statistics(group, rows, { min, max, sum }) {
      const first = firstFrames[group]!;
      const scale = scales[group]!;
      for (let frame = 0; frame * frameSize < rows; frame++) {
        min[frame] = table.mins[first + frame]!;
        max[frame] = table.maxs[first + frame]!;
        sum[frame] = table.totals[first + frame]! / scale;
      }
    },
    unpack(group, rows, values, marks) {
      const first = firstFrames[group]!;
      const scale = scales[group]!;
      for (let frame = 0, at = 0; at < rows; frame++, at += frameSize) {
        if (marks !== undefined && marks[frame] === 0) continue;
        const size = Math.min(frameSize, rows - at);
        unpackFrame(view, table, first + frame, size, values, at);
        if (scale !== 1) for (let i = at; i < at + size; i++) values[i] = values[i]! / scale;
      }
    },
    bytes: bytesOf(firstFrames.length, table.heads.length, packed.length),
  };
}
