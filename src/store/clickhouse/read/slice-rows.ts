import { compareStreamKeys } from '../../../domain/stream.ts';
import { compareTagSets, tagSetOfKey } from '../../../domain/tags.ts';
import { sortRows } from '../../../query/groups/paced-sort.ts';
import type { Position } from '../../../query/plan/cursor.ts';
import type { ReadPlan } from '../../../query/plan/plan.ts';
import type { Pace } from '../../../turns/pace.ts';
import type { RowBlock } from '../../store.ts';
import { type Slice, windowBits } from './slice.ts';
import { type SliceTables, type TableWindow, tablesOf } from './slice-tables.ts';
import { blockOf, isSameRow, textBytesOf } from './table-block.ts';

/** The maximum of rows in a block, and of bytes of its strings and binaries; one row may have more bytes. */
const blockRows = 8192;
const blockBytes = 1024 * 1024;

/**
 * The values of a slice put together to rows, in the plan's order; those that are not after the cursor `after` are left out. Gives
 * the slice's memory back.
 */
export async function* sliceRows(
  slice: Slice,
  { parameters, order: direction, after }: Pick<ReadPlan, 'parameters' | 'order' | 'after'>,
  pace: Pace,
): AsyncGenerator<RowBlock> {
  const tables = await tablesOf(slice, pace);
  slice.memory.release();
  const ranks = await ranksOf(slice, tables, pace);
  const descending = direction === 'Desc';
  for (const window of descending ? tables.windows.toReversed() : tables.windows) {
    const order = await orderOf(tables, window, ranks, pace);
    if (descending) order.reverse();
    const base = BigInt(window.number) << windowBits;
    let at = after === undefined ? 0 : firstAfter(after, slice, tables, order, base, descending);
    while (at < order.length) {
      const { count, end } = cutRows(tables, order, at);
      const rows = { base, order: order.subarray(at, end), count };
      yield blockOf(slice, tables, window, parameters, rows);
      at = end;
      const turn = pace();
      if (turn !== undefined) await turn;
    }
  }
}

/** The rows of a window in order; those that are one row, of tables whose times differ otherwise, stand together. */
async function orderOf(
  { rows: { offsets, identities } }: SliceTables,
  { from, to }: TableWindow,
  ranks: Uint32Array,
  pace: Pace,
): Promise<Uint32Array> {
  const compare = (a: number, b: number) =>
    offsets[from + a]! - offsets[from + b]! || ranks[identities[from + a]!]! - ranks[identities[from + b]!]!;
  const order = await sortRows(to - from, compare, pace);
  if (from > 0) for (let i = 0; i < order.length; i++) order[i]! += from;
  return order;
}

/** The place of each identity in the order of rows of one time. */
async function ranksOf(
  { streams, tagSets }: Slice,
  { identities }: SliceTables,
  pace: Pace,
): Promise<Uint32Array> {
  const order = await sortRows(
    identities.length,
    (a, b) => {
      const [left, right] = [identities[a]!, identities[b]!];
      return (
        compareStreamKeys(streams[left.stream]!, streams[right.stream]!) ||
        compareTagSets(tagSets[left.tags]!, tagSets[right.tags]!)
      );
    },
    pace,
  );
  const ranks = new Uint32Array(order.length);
  order.forEach((identity, rank) => {
    ranks[identity] = rank;
  });
  return ranks;
}

/** The first place in the order after a position. */
function firstAfter(
  after: Position,
  { streams, tagSets }: Slice,
  { rows, identities }: SliceTables,
  order: Uint32Array,
  base: bigint,
  descending: boolean,
): number {
  const tags = tagSetOfKey(after.tags);
  const offset = after.timestamp - base;
  const compare = (row: number): number => {
    const distance = BigInt(rows.offsets[row]!) - offset;
    if (distance !== 0n) return distance < 0n ? -1 : 1;
    const { stream, tags: set } = identities[rows.identities[row]!]!;
    return compareStreamKeys(streams[stream]!, after) || compareTagSets(tagSets[set]!, tags);
  };
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const step = compare(order[middle]!);
    if (descending ? step < 0 : step > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** How many rows a block from a place in the order on has, and where they end in it. */
function cutRows(tables: SliceTables, order: Uint32Array, from: number): { count: number; end: number } {
  const hasTexts = tables.values.texts.length > 0;
  let count = 1;
  let bytes = hasTexts ? textBytesOf(tables, order[from]!) : 0;
  let at = from + 1;
  for (; at < order.length; at++) {
    if (!isSameRow(tables.rows, order[at - 1]!, order[at]!)) {
      if (count === blockRows || bytes >= blockBytes) break;
      count++;
    }
    if (hasTexts) bytes += textBytesOf(tables, order[at]!);
  }
  return { count, end: at };
}
