import { minTimestamp } from '../../domain/timestamp.ts';
import type { Pace } from '../../turns/pace.ts';
import type { QueryMemory } from '../bounds/query-memory.ts';
import { compareGroups, type GroupTable } from '../groups/group-table.ts';
import { isCountable, orderByCounting, type RowKeys } from '../groups/order-rows.ts';
import { sortRows } from '../groups/paced-sort.ts';
import type { SlotTable } from '../groups/slot-table.ts';
import type { ValuesBefore } from '../groups/values-before.ts';
import type { AggregatePlan } from '../plan/plan.ts';
import { bucketOf, bucketStart, maxBuckets, tooManyRows } from '../plan/time-buckets.ts';

/** The rows of an aggregated answer. With interpolation, those of one group stand together in order of buckets. */
export interface AnswerRows {
  readonly count: number;
  readonly groups: Uint32Array;
  /** Relative bucket numbers; undefined without buckets. */
  readonly buckets: Float64Array | undefined;
  /** What is known of each row; -1 where its bucket has no data. */
  readonly slots: Int32Array;
  /** By group: its place in what was before the range; -1 where it has none there. Undefined where nobody looks back. */
  readonly before: Int32Array | undefined;
  /** The rows in the plan's order. */
  readonly order: Uint32Array;
  timeOf(row: number): bigint;
  /**
   * Nanoseconds from the time of row `from` to that of `row`: exact where the distance is below 2^53; otherwise rounded,
   * but never to less than that.
   */
  offsetOf(row: number, from: number): number;
}

/** What the rows were put into. */
export interface Gathered {
  readonly plan: AggregatePlan;
  readonly groups: GroupTable;
  readonly slots: SlotTable;
  readonly grid: { readonly width: bigint; readonly origin: bigint } | undefined;
  /** The time of a slot's row, where it has one of its own. */
  readonly timeOfSlot: ((slot: number) => bigint) | undefined;
}

/** Bytes of the arrays below, per row, and of those that order them. */
const rowBytes = 16;
const orderBytes = 16;

export async function answerRows(gathered: Gathered, memory: QueryMemory, pace: Pace): Promise<AnswerRows> {
  const { plan, groups, slots, grid, timeOfSlot } = gathered;
  const before = plan.before && placesBefore(plan.before, groups, memory);
  const ranks = groups.count > 1 ? await ranksOf(groups, pace) : oneRank;
  const fills = plan.buckets !== undefined && plan.buckets.interpolation !== 'None';
  const rows = fills
    ? await filledRows(gathered, before, memory, pace)
    : plainRows(slots, grid !== undefined, memory);
  const { count, buckets } = rows;
  memory.take(orderBytes * count);
  const { timeOf, offsetOf } = timeFunctions(gathered, rows);
  const rankOf = (row: number) => ranks[rows.groups[row]!]!;
  const byRank = { of: rankOf, end: ranks.length };
  const keys = buckets === undefined ? [byRank] : [bucketKeys(buckets), byRank];
  const ordering =
    timeOfSlot === undefined && isCountable(count, keys)
      ? orderByCounting(count, keys, pace)
      : sortRows(count, comparison(rows, rankOf, timeOfSlot && timeOf), pace);
  const order = ordering instanceof Promise ? await ordering : ordering;
  return {
    count,
    groups: rows.groups,
    buckets,
    slots: rows.slots,
    before,
    order: plan.order === 'Desc' ? order.reverse() : order,
    timeOf,
    offsetOf,
  };
}

/** By time, among rows of one time by group. */
function comparison(
  { buckets }: UnorderedRows,
  rankOf: (row: number) => number,
  timeOf: ((row: number) => bigint) | undefined,
): (a: number, b: number) => number {
  const byRank = (a: number, b: number) => rankOf(a) - rankOf(b);
  if (buckets !== undefined) return (a, b) => buckets[a]! - buckets[b]! || byRank(a, b);
  if (timeOf === undefined) return byRank;
  return (a, b) => compareBigints(timeOf(a), timeOf(b)) || byRank(a, b);
}

function bucketKeys(buckets: Float64Array): RowKeys {
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (const bucket of buckets) {
    if (bucket < first) first = bucket;
    if (bucket > last) last = bucket;
  }
  return { of: (row) => buckets[row]! - first, end: buckets.length === 0 ? 0 : last - first + 1 };
}

type UnorderedRows = Omit<AnswerRows, 'order' | 'before' | 'timeOf' | 'offsetOf'>;

/** The groups that had a value before are groups of the answer too. */
function placesBefore(before: ValuesBefore, groups: GroupTable, memory: QueryMemory): Int32Array {
  const numbers = before.groups.map(groups.groupWith);
  memory.take(4 * groups.count);
  const places = new Int32Array(groups.count).fill(-1);
  for (const [place, group] of numbers.entries()) places[group] = place;
  return places;
}

/** A row for every slot. */
function plainRows(slots: SlotTable, hasBuckets: boolean, memory: QueryMemory): UnorderedRows {
  const { count } = slots;
  memory.take(rowBytes * count);
  const slotOfRow = new Int32Array(count);
  for (let row = 0; row < count; row++) slotOfRow[row] = row;
  return {
    count,
    groups: slots.groupOf.subarray(0, count),
    buckets: hasBuckets ? slots.bucketOf.subarray(0, count) : undefined,
    slots: slotOfRow,
  };
}

/** A row for every bucket of every group, from that of `from` (or its first slot) to that of `to` (or its last). */
async function filledRows(
  { plan, slots, grid }: Gathered,
  before: Int32Array | undefined,
  memory: QueryMemory,
  pace: Pace,
): Promise<UnorderedRows> {
  const { groupOf, bucketOf: bucketOfSlot } = slots;
  const byGroup = await sortRows(
    slots.count,
    (a, b) => groupOf[a]! - groupOf[b]! || bucketOfSlot[a]! - bucketOfSlot[b]!,
    pace,
  );
  const { width, origin } = grid!;
  const begin = plan.hasFrom ? Number(bucketOf(plan.from, width) - origin) : undefined;
  const end = plan.hasTo ? Number(bucketOf(plan.to, width) - origin) : undefined;

  const spans: { group: number; from: number; to: number; first: number; last: number }[] = [];
  let count = 0;
  const add = (group: number, from: number, to: number, first: number, last: number) => {
    count += last - first + 1;
    if (count > maxBuckets) throw tooManyRows();
    spans.push({ group, from, to, first, last });
  };
  const hasRows = new Uint8Array(before?.length ?? 0);
  for (let from = 0; from < byGroup.length; ) {
    const group = groupOf[byGroup[from]!]!;
    let to = from + 1;
    while (to < byGroup.length && groupOf[byGroup[to]!] === group) to++;
    add(group, from, to, begin ?? bucketOfSlot[byGroup[from]!]!, end ?? bucketOfSlot[byGroup[to - 1]!]!);
    hasRows[group] = 1;
    from = to;
  }
  // A group without a row in the range goes on as it was.
  if (begin !== undefined && end !== undefined)
    for (const [group, place] of before?.entries() ?? [])
      if (place >= 0 && hasRows[group] === 0) add(group, 0, 0, begin, end);

  memory.take(rowBytes * count);
  const groups = new Uint32Array(count);
  const buckets = new Float64Array(count);
  const slotOfRow = new Int32Array(count);
  let row = 0;
  for (const { group, from, to, first, last } of spans) {
    let next = from;
    for (let bucket = first; bucket <= last; bucket++, row++) {
      groups[row] = group;
      buckets[row] = bucket;
      slotOfRow[row] = next < to && bucketOfSlot[byGroup[next]!] === bucket ? byGroup[next++]! : -1;
    }
    await pace();
  }
  return { count, groups, buckets, slots: slotOfRow };
}

const oneRank = new Uint32Array(1);

/** The place of each group in the order of groups. */
async function ranksOf(groups: GroupTable, pace: Pace): Promise<Uint32Array> {
  const { count, valuesOf } = groups;
  const order = await sortRows(count, (a, b) => compareGroups(valuesOf(a), valuesOf(b)), pace);
  const ranks = new Uint32Array(count);
  for (let rank = 0; rank < count; rank++) ranks[order[rank]!] = rank;
  return ranks;
}

type TimeFunctions = Pick<AnswerRows, 'timeOf' | 'offsetOf'>;

function timeFunctions(
  { plan, grid, timeOfSlot }: Gathered,
  { buckets, slots }: UnorderedRows,
): TimeFunctions {
  if (grid !== undefined) {
    const { width, origin } = grid;
    const timeOf = (row: number) => bucketStart(origin + BigInt(buckets![row]!), width);
    return { timeOf, offsetOf: bucketOffsets(buckets!, width, origin) ?? between(timeOf) };
  }
  if (timeOfSlot === undefined) return { timeOf: () => plan.from, offsetOf: () => 0 };
  const timeOf = (row: number) => timeOfSlot(slots[row]!);
  return { timeOf, offsetOf: between(timeOf) };
}

function between(timeOf: AnswerRows['timeOf']): AnswerRows['offsetOf'] {
  return (row, from) => Number(timeOf(row) - timeOf(from));
}

const exactBelow = 2 ** 53;

/** The same from bucket numbers by arithmetic of doubles, which is faster; undefined for buckets too wide for it. */
function bucketOffsets(
  buckets: Float64Array,
  width: bigint,
  origin: bigint,
): AnswerRows['offsetOf'] | undefined {
  if (width >= exactBelow) return undefined;
  const step = Number(width);
  const first = bucketOf(minTimestamp, width);
  const firstBucket = Number(first - origin);
  /** What the first bucket of all time is cut by. */
  const cut = Number(bucketStart(first, width) - first * width);
  const cutOf = (bucket: number) => (bucket === firstBucket ? cut : 0);
  return (row, from) => {
    const [bucket, before] = [buckets[row]!, buckets[from]!];
    const distance = (bucket - before) * step;
    // A longer one is rounded; from there on it only matters that it is long, which the cut must not change.
    return Math.abs(distance) < exactBelow ? distance + cutOf(bucket) - cutOf(before) : distance;
  };
}

function compareBigints(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
