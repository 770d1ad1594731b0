import { lostOfProduct } from '../../../domain/twofold.ts';
import { type RunSums, type Runs, skipped } from '../../../query/runs/runs.ts';
import { loadWidth, maxWidth, sumPacked, sumPackedDifferences } from './bit-packing.ts';
import type { ByteReader } from './byte-reader.ts';
import { type FrameTable, frameTable, readFrames, widthBits } from './frame-table.ts';
import { differenceFlag, frameSize } from './integer-frames.ts';

const powersOfTwo = Float64Array.from({ length: maxWidth + 1 }, (_, width) => 2 ** loadWidth(width));

/** The end of the whole numbers to which the total of a frame may be added so that they are still exact. */
const largestSum = 2 ** 52;

/** Columns follow one another in a read: what heads are read to is used again. */
const scratch = frameTable(64);

/**
 * The exact sums of runs of decimals to `sums`, with what the rounding to a double takes: from the totals of whole frames, and of the
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
  sums: RunSums,
): boolean {
  const scale = readFrames(values, statistics, count, scratch);
  return scale !== undefined && sumFrames(values.view, scratch, 0, count, scale, runs, sums);
}

/**
 * The same of frames that were read (frame-table.ts), which stand from the place `first` on.
 *
 * @param view of the bytes in which their positions are
 */
export function sumFrames(
  view: DataView,
  { heads, origins, steps, positions, totals }: FrameTable,
  first: number,
  count: number,
  scale: number,
  runs: Runs,
  sums: RunSums,
): boolean {
  /** The last border that a run had, and the sum of what is before it in its frame. */
  let [border, before] = [-1, 0];
  for (let run = 0, from = 0; run < runs.count; run++) {
    const to = runs.ends[run]! | 0;
    let at = runs.slots[run] === skipped ? to : from;
    let sum = 0;
    while (at < to) {
      // What is rounded on the way stays so, though the sum may come back.
      if (Math.abs(sum) > largestSum) return false;
      const frame = (at / frameSize) | 0;
      const start = frame * frameSize;
      const end = Math.min(count, start + frameSize) | 0;
      const place = first + frame;
      if (at === start && to >= end) {
        sum += totals[place]!;
        at = end;
        continue;
      }
      const head = heads[place]!;
      const [origin, step, position] = [origins[place]!, steps[place]!, positions[place]!];
      const size = end - start;
      if (mayRound(head, step, size)) return false;
      if (border !== at || at === start)
        before = at === start ? 0 : sumBefore(view, position, head, size, at - start, origin, step);
      border = Math.min(to, end);
      const after =
        border === end ? totals[place]! : sumBefore(view, position, head, size, border - start, origin, step);
      sum += after - before;
      before = after;
      at = border;
    }
    if (Math.abs(sum) > largestSum) return false;
    const rounded = sum / scale;
    const product = rounded * scale;
    sums.high[run] = rounded;
    sums.low[run] = (sum - product - lostOfProduct(rounded, scale, product)) / scale;
    from = to;
  }
  return true;
}

/**
 * Whether adding up a frame of differences may come to numbers that are not exact, though its values are small enough: each
 * difference counts as often as there are values after it. One large step back among small ones is enough.
 */
function mayRound(head: number, step: number, size: number): boolean {
  return head >= differenceFlag && (Math.abs(step) + powersOfTwo[head & widthBits]!) * size * size > 2 ** 53;
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
