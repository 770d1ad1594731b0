import { type Column, Kind } from '../../domain/parameter-data.ts';
import type { ResultBlock, TagColumn } from '../../domain/result.ts';
import type { Pace } from '../../turns/pace.ts';
import type { QueryMemory } from '../bounds/query-memory.ts';
import { compareGroups, type GroupTable } from '../groups/group-table.ts';
import type { GroupPosition } from '../plan/cursor.ts';
import type { AggregateColumn, AggregatePlan } from '../plan/plan.ts';
import type { ColumnResults } from '../states/aggregations.ts';
import type { AnswerRows } from './answer-rows.ts';
import { type FilledColumn, fillColumn, lookingBack } from './interpolate.ts';

/** The maximum of rows in a block, and of bytes of its strings and binaries; one row may have more bytes. */
const blockRows = 8192;
const blockBytes = 1024 * 1024;
/** The end of the range of offsets in a block, so that doubles hold them. */
const offsetLimit = 2 ** 53;

/** The rows of an answer in blocks: those after the plan's cursor, no more than its limit. */
export async function* resultBlocks(
  plan: AggregatePlan,
  groups: GroupTable,
  rows: AnswerRows,
  results: readonly ColumnResults[],
  memory: QueryMemory,
  pace: Pace,
): AsyncGenerator<ResultBlock> {
  const columns: FilledColumn[] = [];
  for (const [i, result] of results.entries()) {
    const filled = fillColumn(result, plan.buckets?.interpolation ?? 'None', rows, memory);
    columns.push(plan.before === undefined ? filled : lookingBack(filled, plan.before.columns[i]!, rows));
    const turn = pace();
    if (turn !== undefined) await turn;
  }
  let at = plan.after === undefined ? 0 : firstAfter(plan.after, plan.order === 'Desc', groups, rows);
  const end = plan.limit === undefined ? rows.count : Math.min(rows.count, at + plan.limit);
  while (at < end) {
    const block = blockFrom(plan, { at, end }, columns, groups, rows);
    yield block;
    at += block.count;
    const turn = pace();
    if (turn !== undefined) await turn;
  }
}

/** The first place in the order after a position. */
function firstAfter(after: GroupPosition, descending: boolean, groups: GroupTable, rows: AnswerRows): number {
  const { order, timeOf } = rows;
  const isAfter = (row: number): boolean => {
    const time = timeOf(row);
    if (time !== after.timestamp) return descending ? time < after.timestamp : time > after.timestamp;
    const step = compareGroups(groups.valuesOf(rows.groups[row]!), after.group);
    return descending ? step < 0 : step > 0;
  };
  let low = 0;
  let high = rows.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAfter(order[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function blockFrom(
  { columns: shape, groupBy }: AggregatePlan,
  { at, end }: { readonly at: number; readonly end: number },
  columns: readonly FilledColumn[],
  groups: GroupTable,
  { order, timeOf, offsetOf, groups: groupOfRow }: AnswerRows,
): ResultBlock {
  const first = order[at]!;
  const offsets = new Float64Array(Math.min(end - at, blockRows));
  const sized = columns.filter((column) => column.bytesOf !== undefined);
  let bytes = 0;
  let count = 0;
  for (; count < offsets.length; count++) {
    const row = order[at + count]!;
    const offset = offsetOf(row, first);
    if (offset >= offsetLimit || -offset >= offsetLimit) break;
    for (const { bytesOf } of sized) bytes += bytesOf(row)?.length ?? 0;
    if (bytes > blockBytes && count > 0) break;
    offsets[count] = offset;
  }
  const picked = order.subarray(at, at + count);
  return {
    count,
    base: timeOf(first),
    offsets: offsets.subarray(0, count),
    columns: columns.map((column, i) => columnOf(shape[i]!, column, picked)),
    tags: tagColumns(picked, groupOfRow, groups, groupBy.length),
  };
}

function columnOf(
  { kind, name }: AggregateColumn,
  column: FilledColumn,
  rows: Uint32Array,
): Column | undefined {
  const count = rows.length;
  const present = new Uint8Array((count + 7) >> 3);
  let found = 0;
  const mark = (i: number) => {
    present[i >> 3]! |= 1 << (i & 7);
    found++;
  };
  if (column.bytesOf === undefined) {
    const values = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      if (!column.has(rows[i]!)) continue;
      mark(i);
      values[i] = column.valueOf(rows[i]!);
    }
    if (found === 0) return undefined;
    return { kind: Kind.Numeric, name, values, present: found === count ? undefined : present };
  }
  const pieces: Uint8Array[] = [];
  const ends = new Uint32Array(count);
  let length = 0;
  for (let i = 0; i < count; i++) {
    const piece = column.bytesOf(rows[i]!);
    if (piece !== undefined) {
      mark(i);
      pieces.push(piece);
      length += piece.length;
    }
    ends[i] = length;
  }
  if (found === 0 || kind === Kind.Numeric) return undefined;
  return {
    kind,
    name,
    bytes: Buffer.concat(pieces, length),
    ends,
    present: found === count ? undefined : present,
  };
}

/** A dictionary per tag of the groups in the block, so that it is not larger than the block. */
function tagColumns(
  rows: Uint32Array,
  groupOfRow: Uint32Array,
  groups: GroupTable,
  tags: number,
): TagColumn[] {
  if (tags === 0) return [];
  const places = new Map<number, number>();
  const index = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const group = groupOfRow[rows[i]!]!;
    let place = places.get(group);
    if (place === undefined) {
      place = places.size;
      places.set(group, place);
    }
    index[i] = place;
  }
  const values = Array.from(places.keys(), (group) => groups.valuesOf(group));
  return Array.from({ length: tags }, (_, tag) => ({
    texts: values.map((group) => group[tag]),
    index: values.length === 1 ? undefined : index,
  }));
}
