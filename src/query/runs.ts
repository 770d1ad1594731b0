import type { Presence } from '../domain/parameter-data.ts';
import type { TagSet } from '../domain/tags.ts';
import type { GroupTable } from './group-table.ts';
import type { SlotTable } from './slot-table.ts';
import type { TagPredicate } from './tag-predicate.ts';
import { bucketOf } from './time-buckets.ts';

/** Rows of one stream as the kernels take them: ordered by time, columns aligned with the plan's parameters. */
export interface KernelRows {
  readonly count: number;
  /** Nanoseconds; row i is at `base + offsets[i]`. */
  readonly base: bigint;
  /** Ascending whole numbers in [0, 2^52). */
  readonly offsets: Float64Array;
  readonly tagSets: readonly TagSet[];
  /** Per row an index into `tagSets`; undefined means every row has `tagSets[0]`. */
  readonly tagIndex: Uint32Array | undefined;
  readonly columns: readonly (KernelColumn | undefined)[];
}

export type KernelColumn = NumberValues | ByteValues;

export interface NumberValues {
  readonly values: Float64Array;
  readonly present: Presence;
}

export interface ByteValues {
  readonly bytes: Uint8Array;
  /** Per row the end of its value in `bytes`; it begins at the end of the row before. */
  readonly ends: Uint32Array;
  readonly present: Presence;
}

/** Consecutive rows of one slot each: run r is the rows from the end of the one before (0 for the first) to `ends[r]`. */
export interface Runs {
  count: number;
  ends: Uint32Array;
  /** `skipped` where the rows are not wanted. */
  slots: Uint32Array;
}

export const skipped = 2 ** 32 - 1;

export interface RunCutter {
  /** Valid until the next call. */
  cut(rows: KernelRows): Runs;
}

export interface CutterParts {
  readonly groups: GroupTable;
  readonly slots: SlotTable;
  /** Undefined where all rows are wanted. */
  readonly wanted: TagPredicate | undefined;
  /** The width of buckets in ns and the number of the first; undefined where there are none. */
  readonly buckets: { readonly width: bigint; readonly origin: bigint } | undefined;
}

const unknown = -2;
const unwanted = -1;

/** Cuts blocks of rows into runs: the only place that looks at times and tags row by row. */
export function runCutter({ groups, slots, wanted, buckets }: CutterParts): RunCutter {
  const runs: Runs = { count: 0, ends: new Uint32Array(64), slots: new Uint32Array(64) };
  const ignoresTags = !groups.byTags && wanted === undefined;

  function push(end: number, slot: number): void {
    const { count } = runs;
    if (count > 0 && runs.slots[count - 1] === slot) {
      runs.ends[count - 1] = end;
      return;
    }
    if (count === runs.ends.length) {
      runs.ends = widened(runs.ends);
      runs.slots = widened(runs.slots);
    }
    runs.ends[count] = end;
    runs.slots[count] = slot;
    runs.count++;
  }

  /** Cuts the rows [from, to) of one bucket where the group changes. */
  function cutByTags(
    rows: KernelRows,
    groupOfSet: Int32Array,
    bucket: number,
    from: number,
    to: number,
  ): void {
    const { tagIndex } = rows;
    if (tagIndex === undefined) {
      push(to, slotFor(rows, groupOfSet, 0, bucket));
      return;
    }
    for (let row = from; row < to; ) {
      const set = tagIndex[row]!;
      let end = row + 1;
      while (end < to && tagIndex[end] === set) end++;
      push(end, slotFor(rows, groupOfSet, set, bucket));
      row = end;
    }
  }

  function slotFor({ tagSets }: KernelRows, groupOfSet: Int32Array, set: number, bucket: number): number {
    let group = groupOfSet[set]!;
    if (group === unknown) {
      const tags = tagSets[set]!;
      group = wanted === undefined || wanted(tags) ? groups.groupOf(tags) : unwanted;
      groupOfSet[set] = group;
    }
    return group === unwanted ? skipped : slots.slotOf(group, bucket);
  }

  return {
    cut(rows) {
      runs.count = 0;
      const { count, offsets, tagSets } = rows;
      if (count === 0) return runs;
      const groupOfSet = ignoresTags ? new Int32Array(1) : new Int32Array(tagSets.length).fill(unknown);
      const cutBucket = (bucket: number, from: number, to: number) => {
        if (ignoresTags) push(to, slots.slotOf(groups.groupOf(tagSets[0]!), bucket));
        else cutByTags(rows, groupOfSet, bucket, from, to);
      };
      if (buckets === undefined) {
        cutBucket(0, 0, count);
        return runs;
      }
      const grid = gridAt(rows.base, buckets.width);
      const origin = Number(grid.bucket - buckets.origin);
      for (let row = 0; row < count; ) {
        const index = grid.indexOf(offsets[row]!);
        const border = grid.endOf(index);
        const end = firstFrom(offsets, border, row + 1, count);
        cutBucket(origin + index, row, end);
        row = end;
      }
      return runs;
    },
  };
}

/** Buckets as seen from a base: bucket number `bucket + indexOf(offset)` holds the time at an offset. */
interface Grid {
  readonly bucket: bigint;
  indexOf(offset: number): number;
  /** The offset at which the bucket after that one begins. */
  endOf(index: number): number;
}

/** Offsets are below this. */
const offsetLimit = 2 ** 52;

function gridAt(base: bigint, width: bigint): Grid {
  const bucket = bucketOf(base, width);
  const rest = base - bucket * width;
  if (width < offsetLimit) {
    // Everything is a whole number below 2^53, and the remainder of such doubles is exact.
    const [step, start] = [Number(width), Number(rest)];
    return {
      bucket,
      indexOf: (offset) => (offset + start - ((offset + start) % step)) / step,
      endOf: (index) => (index + 1) * step - start,
    };
  }
  // At most one border lies within reach.
  const left = width - rest;
  const border = left < BigInt(offsetLimit) ? Number(left) : offsetLimit;
  return {
    bucket,
    indexOf: (offset) => (offset < border ? 0 : 1),
    endOf: (index) => (index === 0 ? border : offsetLimit),
  };
}

/** The first index in [from, to) whose offset is not below `offset`, found near `from` first. */
function firstFrom(offsets: Float64Array, offset: number, from: number, to: number): number {
  if (from >= to || offsets[to - 1]! < offset) return to;
  let low = from;
  let step = 1;
  while (offsets[low + step - 1]! < offset) {
    low += step;
    step = Math.min(2 * step, to - low);
  }
  let high = low + step - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (offsets[middle]! < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

function widened(values: Uint32Array): Uint32Array<ArrayBuffer> {
  const wider = new Uint32Array(2 * values.length);
  wider.set(values);
  return wider;
}
