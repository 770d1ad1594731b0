import { noTags, type TagSet } from '../../domain/tags.ts';
import type { GroupTable } from '../groups/group-table.ts';
import type { SlotTable } from '../groups/slot-table.ts';
import { type BucketGrid, bucketGrid } from '../plan/bucket-grid.ts';
import type { TagPredicate } from '../plan/tag-predicate.ts';
import type { DecodedRows, RowsToAggregate } from './rows-to-aggregate.ts';
import { pushRun, type Runs, skipped } from './runs.ts';

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
export function runCutter(parts: CutterParts): RunCutter {
  return new Cutter(parts);
}

class Cutter implements RunCutter {
  readonly #runs;
  readonly #groups;
  readonly #slots;
  readonly #wanted;
  readonly #buckets;
  /** Neither groups nor filters go by tags. */
  readonly #ignoresTags: boolean;
  /** Of the last base: neighbouring blocks mostly have the same. */
  #lastGrid: { readonly base: bigint; readonly grid: BucketGrid; readonly origin: number } | undefined;

  constructor({ runs, groups, slots, wanted, buckets }: CutterParts) {
    this.#runs = runs;
    this.#groups = groups;
    this.#slots = slots;
    this.#wanted = wanted;
    this.#buckets = buckets;
    this.#ignoresTags = !groups.byTags && wanted === undefined;
  }

  cut(rows: RowsToAggregate): void {
    this.#runs.count = 0;
    const { count, first, last, from, to } = rows;
    if (count === 0) return;
    const tags = this.#tagsOf(rows);
    if (tags !== undefined && this.#wanted !== undefined && !tags.tags.tagSets.some(this.#wanted)) {
      pushRun(this.#runs, count, skipped);
      return;
    }
    const isWhole = from <= first && to >= last;
    const begin = isWhole ? 0 : firstRowAt(rows, from, 0, count);
    const end = isWhole ? count : firstRowAt(rows, to + 1, begin, count);
    if (begin > 0) pushRun(this.#runs, begin, skipped);
    if (begin < end) this.#cutAroundHidden(rows, begin, end, tags);
    if (end < count) pushRun(this.#runs, count, skipped);
  }

  bucketEnd(base: bigint, offset: number): number {
    if (this.#buckets === undefined) return Number.POSITIVE_INFINITY;
    const { grid } = this.#gridOf(base, this.#buckets);
    return grid.endOf(grid.indexOf(offset));
  }

  slotAt(base: bigint, offset: number, tags: TagSet): number | undefined {
    if (this.#wanted?.(tags) === false) return undefined;
    const group = this.#groups.groupOf(tags);
    if (this.#buckets === undefined) return this.#slots.slotOf(group, 0);
    const { grid, origin } = this.#gridOf(base, this.#buckets);
    return this.#slots.slotOf(group, origin + grid.indexOf(offset));
  }

  /** Cuts the rows [begin, end), which are within the wanted range, into buckets, without those that are hidden. */
  #cutAroundHidden(rows: RowsToAggregate, begin: number, end: number, tags: BlockTags | undefined): void {
    const { hidden } = rows;
    let first = Math.max(rows.first, rows.from);
    const last = Math.min(rows.last, rows.to);
    let row = begin;
    for (const gap of hidden) {
      if (gap.last < first) continue;
      if (gap.first > last) break;
      const start = gap.first <= first ? row : firstRowAt(rows, gap.first, row, end);
      if (row < start) this.#cutBuckets(rows, { first, last: gap.first - 1, begin: row, end: start }, tags);
      row = gap.last >= last ? end : firstRowAt(rows, gap.last + 1, start, end);
      if (row > start) pushRun(this.#runs, row, skipped);
      first = gap.last + 1;
    }
    if (row < end) this.#cutBuckets(rows, { first, last, begin: row, end }, tags);
  }

  /** Cuts rows where the bucket changes. */
  #cutBuckets(
    rows: RowsToAggregate,
    { first, last, begin, end }: RowSpan,
    tags: BlockTags | undefined,
  ): void {
    if (this.#buckets === undefined) {
      this.#cutBucket(0, begin, end, tags);
      return;
    }
    const { grid, origin } = this.#gridOf(rows.base, this.#buckets);
    const firstIndex = grid.indexOf(first);
    if (grid.endOf(firstIndex) > last) {
      this.#cutBucket(origin + firstIndex, begin, end, tags);
      return;
    }
    for (let row = begin, index = firstIndex; row < end; ) {
      const offset = rows.offsetOf(row);
      // Mostly it is the same bucket or the next one; to find another takes a division.
      if (offset >= grid.endOf(index))
        index = offset < grid.endOf(index + 1) ? index + 1 : grid.indexOf(offset);
      const next = firstRowAt(rows, grid.endOf(index), row + 1, end);
      this.#cutBucket(origin + index, row, next, tags);
      row = next;
    }
  }

  /** Cuts the rows [from, to) of one bucket where the group changes. */
  #cutBucket(bucket: number, from: number, to: number, blockTags: BlockTags | undefined): void {
    const runs = this.#runs;
    if (blockTags === undefined) {
      pushRun(runs, to, this.#slots.slotOf(this.#groups.groupOf(noTags), bucket));
      return;
    }
    const { tagIndex } = blockTags.tags;
    if (tagIndex === undefined) {
      pushRun(runs, to, this.#slotFor(blockTags, 0, bucket));
      return;
    }
    for (let row = from; row < to; ) {
      const set = tagIndex[row]!;
      let end = row + 1;
      while (end < to && tagIndex[end] === set) end++;
      pushRun(runs, end, this.#slotFor(blockTags, set, bucket));
      row = end;
    }
  }

  /** The slot of a tag set of the block in a bucket, or `skipped` where the filters refuse the set. */
  #slotFor({ tags: { tagSets }, groupOfSet }: BlockTags, set: number, bucket: number): number {
    let group = groupOfSet[set]!;
    if (group === unknown) {
      const tags = tagSets[set]!;
      group = this.#wanted === undefined || this.#wanted(tags) ? this.#groups.groupOf(tags) : unwanted;
      groupOfSet[set] = group;
    }
    return group === unwanted ? skipped : this.#slots.slotOf(group, bucket);
  }

  /** Undefined where tags don't matter. */
  #tagsOf(rows: RowsToAggregate): BlockTags | undefined {
    if (this.#ignoresTags) return undefined;
    const tags = rows.tags();
    return { tags, groupOfSet: new Int32Array(tags.tagSets.length).fill(unknown) };
  }

  #gridOf(base: bigint, { width, origin }: NonNullable<CutterParts['buckets']>) {
    if (this.#lastGrid?.base !== base) {
      const grid = bucketGrid(base, width);
      this.#lastGrid = { base, grid, origin: Number(grid.bucket - origin) };
    }
    return this.#lastGrid;
  }
}

/** Rows [begin, end) of a block, and offsets between which all of them are, both inclusive. */
interface RowSpan {
  readonly first: number;
  readonly last: number;
  readonly begin: number;
  readonly end: number;
}

/** The tags of a block, and the group of each set as far as it is known. */
interface BlockTags {
  readonly tags: Pick<DecodedRows, 'tagSets' | 'tagIndex'>;
  readonly groupOfSet: Int32Array;
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
