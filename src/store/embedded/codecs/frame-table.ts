import { packedLength, unpackBits } from './bit-packing.ts';
import type { ByteReader } from './byte-reader.ts';
import { powersOfTen } from './decimal.ts';
import { decodeFrameTotals, decodeStatistics, emptyStatistics } from './frame-statistics.ts';
import { addUp, differenceFlag, frameSize } from './integer-frames.ts';
import { placeFrames } from './integer-run.ts';
import { Form, runFlag } from './number-codec.ts';
import { areSmallSteps, unpackSteps } from './step-unpacking.ts';

export const widthBits = 0x3f;

/**
 * Frames of decimals, one after another, before they are unpacked (integer-frames.ts): what their heads and statistics say, as
 * whole numbers times the scale of their column.
 */
export interface FrameTable {
  /** Bits 0..5 width, bit 6 set for a frame of differences. */
  heads: Uint8Array;
  /** The smallest number, or the first one. */
  origins: Float64Array;
  /** The smallest difference; 0 in other frames. */
  steps: Float64Array;
  /** Where the packed bits begin. */
  positions: Uint32Array;
  /** The sums of all numbers. */
  totals: Float64Array;
  /** The least and the greatest value, not times the scale: only where they are asked for (`readExtremes`). */
  mins: Float64Array;
  maxs: Float64Array;
}

/** What a frame takes in a table. */
export const frameTableBytes = 1 + 8 + 8 + 4 + 8 + 8 + 8;

export function frameTable(frames: number): FrameTable {
  return {
    heads: new Uint8Array(frames),
    origins: new Float64Array(frames),
    steps: new Float64Array(frames),
    positions: new Uint32Array(frames),
    totals: new Float64Array(frames),
    mins: new Float64Array(frames),
    maxs: new Float64Array(frames),
  };
}

const names = ['heads', 'origins', 'steps', 'positions', 'totals', 'mins', 'maxs'] as const;

/** A copy of the first frames, with no room for more. */
export function trimFrames(table: FrameTable, frames: number): FrameTable {
  const trimmed = frameTable(frames);
  for (const name of names) trimmed[name].set(table[name].subarray(0, frames));
  return trimmed;
}

/** Makes room for so many frames. */
export function reserveFrames(table: FrameTable, frames: number): void {
  if (frames <= table.heads.length) return;
  const wider = frameTable(Math.max(frames, 2 * table.heads.length));
  for (const name of names) wider[name].set(table[name]);
  Object.assign(table, wider);
}

/**
 * Reads the frames of a column of `count` decimals that every row has to the places from `at` on, positions as they are in
 * the bytes of `values`. Gives the scale; undefined where the values have no decimal form or a frame has no total.
 *
 * @param statistics of the values, as frame-statistics.ts writes them; both readers may stop before their ends
 */
export function readFrames(
  values: ByteReader,
  statistics: ByteReader,
  count: number,
  table: FrameTable,
  at = 0,
): number | undefined {
  const form = values.byte();
  const scale = powersOfTen[form >> 4];
  const layout = form & 0x0f;
  if ((layout !== Form.Decimal && layout !== (Form.Decimal | runFlag)) || scale === undefined)
    return undefined;
  const frames = Math.ceil(count / frameSize);
  reserveFrames(table, at + frames);
  const { heads, origins, steps, positions, totals } = table;
  if (decodeFrameTotals(statistics, count, at === 0 ? totals : totals.subarray(at)) !== scale)
    return undefined;
  if (layout === Form.Decimal) {
    for (let frame = 0; frame < frames; frame++) {
      const head = values.byte();
      heads[at + frame] = head;
      origins[at + frame] = values.signedVarint();
      steps[at + frame] = head >= differenceFlag ? values.signedVarint() : 0;
      const size = Math.min(frameSize, count - frame * frameSize);
      positions[at + frame] = values.skip(packedLength(size, head & widthBits));
    }
    return scale;
  }
  const placed = placeFrames(values, count);
  for (let frame = 0, step = 0; frame < frames; frame++) {
    const head = placed.bytes[frame]!;
    heads[at + frame] = head;
    origins[at + frame] = placed.origins[frame]!;
    steps[at + frame] = head >= differenceFlag ? placed.steps[step++]! : 0;
    positions[at + frame] = placed.positions[frame]!;
  }
  return scale;
}

let extremes = emptyStatistics(64);

/** Reads the least and the greatest value of each frame of `count` values to the places from `at` on. */
export function readExtremes(statistics: ByteReader, count: number, table: FrameTable, at: number): void {
  const frames = Math.ceil(count / frameSize);
  if (extremes.min.length < frames) extremes = emptyStatistics(frames);
  const { min, max } = decodeStatistics(statistics, count, false, extremes);
  table.mins.set(min.subarray(0, frames), at);
  table.maxs.set(max.subarray(0, frames), at);
}

/** Unpacks the `size` whole numbers of a frame to `values` from `to` on. */
export function unpackFrame(
  view: DataView,
  table: FrameTable,
  frame: number,
  size: number,
  values: Float64Array,
  to: number,
): void {
  const head = table.heads[frame]!;
  const [width, origin, step] = [head & widthBits, table.origins[frame]!, table.steps[frame]!];
  const position = table.positions[frame]!;
  if (head < differenceFlag) unpackBits(view, position, width, values, to, size, origin);
  else if (areSmallSteps(origin, step, width, size)) {
    unpackSteps(view, position, width, values, to, size, origin, step);
  } else {
    unpackBits(view, position, width, values, to, size, step);
    addUp(values, to, to + size, origin);
  }
}
