import { noTags, type TagSet } from '../domain/tags.ts';
import type { GroupTable } from './group-table.ts';
import type { DecodedRows, RowsToAggregate } from './rows-to-aggregate.ts';
import { pushRun, type Runs, skipped } from './runs.ts';
import type { SlotTable } from './slot-table.ts';
import type { TagPredicate } from './tag-predicate.ts';
import { bucketOf } from './time-buckets.ts';

export interface RunCutter {
  /** Fills `runs` of the parts anew. */
  cut(rows: RowsToAggregate): void;
  /** Where the bucket ends that holds an offset from a base: the first offset that is not in it any more. */
  bucketEnd(base: bigint, offset: number): number;
  /** The slot of rows of one bucket and one tag set, of which one is at an offset; undefined where they are not wanted. */
  slotAt(base: bigint, offset: number, tags: TagSet): number | undefined;
}

export interface CutterParts {
  /** Where the runs of a block are put: the memory of the caller, to whom this cutter belongs. */
  readonly runs: Runs;
  readonly groups: Pick<GroupTable, 'byTags' | 'groupOf'>;
  readonly slots: Pick<SlotTable, 'slotOf'>;
  /** Undefined where all rows are wanted. */
  readonly wanted: TagPredicate | undefined;
  /** The width of buckets in ns and the number of the first; undefined where there are none. */
  readonly buckets: { readonly width: bigint; readonly origin: bigint } | undefined;
}

const unknown = -2;
const unwanted = -1;

/** Cuts blocks of rows into runs: the only place that looks at times and tags row by row. */
export function runCutter({ runs, groups, slots, wanted, buckets }: CutterParts): RunCutter {
  const ignoresTags = !groups.byTags && wanted === undefined;
  /** Of the last base: neighbouring blocks mostly have the same. */
  let lastGrid: { readonly base: bigint; readonly grid: Grid; readonly origin: number } | undefined;

  /** Cuts the rows [from, to) of one bucket where the group changes. */
  function cutByTags({ tags, groupOfSet }: BlockTags, bucket: number, from: number, to: number): void {
    const { tagSets, tagIndex } = tags;
    if (tagIndex === undefined) {
      pushRun(runs, to, slotFor(tagSets, groupOfSet, 0, bucket));
      return;
    }
    for (let row = from; row < to; ) {
      const set = tagIndex[row]!;
      let end = row + 1;
      while (end < to && tagIndex[end] === set) end++;
      pushRun(runs, end, slotFor(tagSets, groupOfSet, set, bucket));
      row = end;
    }
  }

  function slotFor(tagSets: readonly TagSet[], groupOfSet: Int32Array, set: number, bucket: number): number {
    let group = groupOfSet[set]!;
    if (group === unknown) {
      const tags = tagSets[set]!;
      group = wanted === undefined || wanted(tags) ? groups.groupOf(tags) : unwanted;
      groupOfSet[set] = group;
    }
    return group === unwanted ? skipped : slots.slotOf(group, bucket);
  }

  /** Undefined where tags don't matter. */
  function tagsOf(rows: RowsToAggregate): BlockTags | undefined {
    if (ignoresTags) return undefined;
    const tags = rows.tags();
    return { tags, groupOfSet: new Int32Array(tags.tagSets.length).fill(unknown) };
  }

  return {
    bucketEnd(base, offset) {
      if (buckets === undefined) return Number.POSITIVE_INFINITY;
      const { grid } = gridOf(base, buckets);
      return grid.endOf(grid.indexOf(offset));
    },
    slotAt(base, offset, tags) {
      if (wanted?.(tags) === false) return undefined;
      const group = groups.groupOf(tags);
      if (buckets === undefined) return slots.slotOf(group, 0);
      const { grid, origin } = gridOf(base, buckets);
      return slots.slotOf(group, origin + grid.indexOf(offset));
    },
    cut(rows) {
      runs.count = 0;
      const { count, first, last, from, to } = rows;
      if (count === 0) return;
      const tags = tagsOf(rows);
      if (tags !== undefined && wanted !== undefined && !tags.tags.tagSets.some(wanted)) {
        pushRun(runs, count, skipped);
        return;
      }
      const cutBucket = (bucket: number, start: number, end: number) => {
        if (tags === undefined) pushRun(runs, end, slots.slotOf(groups.groupOf(noTags), bucket));
        else cutByTags(tags, bucket, start, end);
      };
      const isWhole = from <= first && to >= last;
      const begin = isWhole ? 0 : firstRowAt(rows, from, 0, count);
      const end = isWhole ? count : firstRowAt(rows, to + 1, begin, count);
      if (begin > 0) pushRun(runs, begin, skipped);
      if (begin < end) cutAround(rows, begin, end, cutBucket);
      if (end < count) pushRun(runs, count, skipped);
    },
  };

  /** Cuts the rows [begin, end) into buckets, without those that are hidden. */
  function cutAround(rows: RowsToAggregate, begin: number, end: number, cutBucket: CutBucket): void {
    const { hidden } = rows;
    let first = Math.max(rows.first, rows.from);
    const last = Math.min(rows.last, rows.to);
    let row = begin;
    for (const gap of hidden) {
      if (gap.last < first) continue;
      if (gap.first > last) break;
      const start = gap.first <= first ? row : firstRowAt(rows, gap.first, row, end);
      if (row < start) cutBuckets(rows, { first, last: gap.first - 1 }, row, start, cutBucket);
      row = gap.last >= last ? end : firstRowAt(rows, gap.last + 1, start, end);
      if (row > start) pushRun(runs, row, skipped);
      first = gap.last + 1;
    }
    if (row < end) cutBuckets(rows, { first, last }, row, end, cutBucket);
  }

  /** @param within offsets between which all these rows are */
  function cutBuckets(
    rows: RowsToAggregate,
    within: { readonly first: number; readonly last: number },
    begin: number,
    end: number,
    cutBucket: CutBucket,
  ): void {
    if (buckets === undefined) {
      cutBucket(0, begin, end);
      return;
    }
    const { grid, origin } = gridOf(rows.base, buckets);
    const firstIndex = grid.indexOf(within.first);
    if (grid.endOf(firstIndex) > within.last) {
      cutBucket(origin + firstIndex, begin, end);
      return;
    }
    for (let row = begin, index = firstIndex; row < end; ) {
      const offset = rows.offsetOf(row);
      // Mostly it is the same bucket or the next one; to find another takes a division.
      if (offset >= grid.endOf(index))
        index = offset < grid.endOf(index + 1) ? index + 1 : grid.indexOf(offset);
      const next = firstRowAt(rows, grid.endOf(index), row + 1, end);
      cutBucket(origin + index, row, next);
      row = next;
    }
  }

  function gridOf(base: bigint, { width, origin }: NonNullable<CutterParts['buckets']>) {
    if (lastGrid?.base !== base) {
      const grid = gridAt(base, width);
      lastGrid = { base, grid, origin: Number(grid.bucket - origin) };
    }
    return lastGrid;
  }
}

type CutBucket = (bucket: number, start: number, end: number) => void;

/** The tags of a block, and the group of each set as far as it is known. */
interface BlockTags {
  readonly tags: Pick<DecodedRows, 'tagSets' | 'tagIndex'>;
  readonly groupOfSet: Int32Array;
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

/** The first row in [from, to) that is not before `offset`; `to` where all are. */
function firstRowAt(rows: RowsToAggregate, offset: number, from: number, to: number): number {
  const { first, step } = rows;
  if (step === undefined || step === 0) return firstFrom(rows.offsets(), offset, from, to);
  // The quotient may be rounded by less than one row.
  let row = Math.min(to, Math.max(from, Math.ceil((offset - first) / step)));
  while (row > from && first + (row - 1) * step >= offset) row--;
  while (row < to && first + row * step < offset) row++;
  return row;
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
