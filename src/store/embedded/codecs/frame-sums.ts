import { type Runs, skipped } from '../../../query/runs.ts';
import { packedLength, sumPacked, sumPackedDifferences } from './bit-packing.ts';
import type { ByteReader } from './byte-reader.ts';
import { powersOfTen } from './decimal.ts';
import { decodeFrameTotals } from './frame-statistics.ts';
import { differenceFlag, frameSize } from './integer-frames.ts';
import { placeFrames } from './integer-run.ts';
import { Form, runFlag } from './number-codec.ts';

/** A whole number below it may have the total of a frame added, and is still exact. */
const largestSum = 2 ** 52;
const widthBits = 0x3f;

let frameTotals = new Float64Array(64);

/**
 * The exact sums of runs of decimals, each rounded once to a double, to `sums`: from the totals of whole frames, and of the
 * frames that a run cuts from as many values as it takes, added as they are packed. False, and nothing is known, where the
 * values have no decimal form, a frame has no total, or a sum may not be exact.
 *
 * @param statistics of the values, as frame-statistics.ts writes them; both readers may stop before their ends
 */
export function sumRuns(
  values: ByteReader,
  statistics: ByteReader,
  count: number,
  runs: Runs,
  sums: Float64Array,
): boolean {
  const form = values.byte();
  const scale = powersOfTen[form >> 4];
  const layout = form & 0x0f;
  if ((layout !== Form.Decimal && layout !== (Form.Decimal | runFlag)) || scale === undefined) return false;
  const frames = Math.ceil(count / frameSize);
  if (frames > frameTotals.length) frameTotals = new Float64Array(frames);
  if (decodeFrameTotals(statistics, count, frameTotals) !== scale) return false;
  const { view } = values;
  const placed = layout === Form.Decimal ? undefined : placeFrames(values, count);
  /** Frames of differences so far. */
  let stepCount = 0;
  let [frame, start, size, head, origin, step, position] = [-1, 0, 0, 0, 0, 0, 0];
  /** The last border in the frame at hand, and the sum of what is before it. */
  let [border, before] = [0, 0];
  for (let run = 0, from = 0; run < runs.count; run++) {
    const to = runs.ends[run]!;
    let at = runs.slots[run] === skipped ? to : from;
    let sum = 0;
    while (at < to) {
      const place = Math.floor(at / frameSize);
      const end = Math.min(count, (place + 1) * frameSize);
      if (at === place * frameSize && to >= end) {
        sum += frameTotals[place]!;
        at = end;
      } else {
        while (frame < place) {
          frame++;
          start += size;
          size = Math.min(frameSize, count - start);
          if (placed === undefined) {
            head = values.byte();
            origin = values.signedVarint();
            step = head >= differenceFlag ? values.signedVarint() : 0;
            position = values.skip(packedLength(size, head & widthBits));
          } else {
            head = placed.bytes[frame]!;
            origin = placed.origins[frame]!;
            step = head >= differenceFlag ? placed.steps[stepCount++]! : 0;
            position = placed.positions[frame]!;
          }
          [border, before] = [start, 0];
        }
        if (mayRound(head, step, size)) return false;
        if (border < at) before = sumBefore(view, position, head, size, at - start, origin, step);
        border = Math.min(to, end);
        const after =
          border === end
            ? frameTotals[place]!
            : sumBefore(view, position, head, size, border - start, origin, step);
        sum += after - before;
        before = after;
        at = border;
      }
      if (Math.abs(sum) > largestSum) return false;
    }
    sums[run] = sum / scale;
    from = to;
  }
  return true;
}

/**
 * Whether adding up a frame of differences may come to numbers that are not exact, though its values are small enough: each
 * difference counts as often as there are values after it. One large step back among small ones is enough.
 */
function mayRound(head: number, step: number, size: number): boolean {
  return head >= differenceFlag && (Math.abs(step) + 2 ** (head & widthBits)) * size * size > 2 ** 53;
}

/** The sum of the first `to` of the `size` whole numbers of a frame, whose parts are as integer-frames.ts has them, wherever its head stands. */
function sumBefore(
  view: DataView,
  position: number,
  head: number,
  size: number,
  to: number,
  origin: number,
  step: number,
): number {
  const width = head & widthBits;
  const sum = to * origin;
  return head < differenceFlag
    ? sum + sumPacked(view, position, width, size, to)
    : sum + (step * to * (to - 1)) / 2 + sumPackedDifferences(view, position, width, size, to);
}
