import type { Interpolation } from '../../domain/query.ts';
import type { QueryMemory } from '../bounds/query-memory.ts';
import type { ValueBefore } from '../groups/values-before.ts';
import type { NumberResults } from '../states/accumulator.ts';
import type { ColumnResults } from '../states/aggregations.ts';
import { between } from '../states/collected-values.ts';
import type { AnswerRows } from './answer-rows.ts';

/** A column of the answer by row. */
export type FilledColumn =
  | {
      has(row: number): boolean;
      valueOf(row: number): number;
      readonly bytesOf?: undefined;
    }
  /** Strings, binaries or events. */
  | { bytesOf(row: number): Uint8Array | undefined };

/**
 * Fills the cells of a column that have no values (contract, section 9): a bucket that has rows, but none with a value
 * for this column, is filled like one without rows. Strings and binaries have nothing between neighbours and no zero,
 * so Linear and Zero leave them null.
 */
export function fillColumn(
  { bytes, numbers }: ColumnResults,
  interpolation: Interpolation,
  rows: AnswerRows,
  memory: QueryMemory,
): FilledColumn {
  const { slots } = rows;
  if (bytes !== undefined) {
    const has = (slot: number) => bytes.bytesOf(slot) !== undefined;
    const sources = interpolation === 'Previous' ? rowsBefore(rows, has, memory) : undefined;
    return {
      bytesOf(row) {
        const source = sources === undefined ? row : sources[row]!;
        return source < 0 || slots[source]! < 0 ? undefined : bytes.bytesOf(slots[source]!);
      },
    };
  }
  const has = (row: number) => slots[row]! >= 0 && numbers.has(slots[row]!);
  if (interpolation === 'Linear') return linear(rows, numbers, memory);
  if (interpolation === 'Zero')
    return { has: () => true, valueOf: (row) => (has(row) ? numbers.valueOf(slots[row]!) : 0) };
  if (interpolation !== 'Previous') return { has, valueOf: (row) => numbers.valueOf(slots[row]!) };
  const sources = rowsBefore(rows, numbers.has, memory);
  return { has: (row) => sources[row]! >= 0, valueOf: (row) => numbers.valueOf(slots[sources[row]!]!) };
}

/** A column in which a row without a value, and so without one before it, has the value of its group before the range. */
export function lookingBack(
  column: FilledColumn,
  values: readonly ValueBefore[],
  { groups, before }: AnswerRows,
): FilledColumn {
  const valueBefore = (row: number) => values[before![groups[row]!]!];
  if (column.bytesOf !== undefined) {
    const { bytesOf } = column;
    return { bytesOf: (row) => bytesOf(row) ?? (valueBefore(row) as Uint8Array | undefined) };
  }
  return {
    has: (row) => column.has(row) || valueBefore(row) !== undefined,
    valueOf: (row) => (column.has(row) ? column.valueOf(row) : (valueBefore(row) as number)),
  };
}

function linear(rows: AnswerRows, numbers: NumberResults, memory: QueryMemory): FilledColumn {
  const { slots, buckets } = rows;
  const before = rowsBefore(rows, numbers.has, memory);
  const after = rowsAfter(rows, numbers.has, memory);
  return {
    has: (row) => before[row]! >= 0 && after[row]! >= 0,
    valueOf(row) {
      const [left, right] = [before[row]!, after[row]!];
      const value = numbers.valueOf(slots[left]!);
      if (left === right) return value;
      const [from, to] = [buckets![left]!, buckets![right]!];
      return between(value, numbers.valueOf(slots[right]!), (buckets![row]! - from) / (to - from));
    },
  };
}

/** Per row the nearest row of its group, at or before it, whose slot has a value; -1 where there is none. */
function rowsBefore(rows: AnswerRows, has: (slot: number) => boolean, memory: QueryMemory): Int32Array {
  const { count, groups, slots } = rows;
  memory.take(4 * count);
  const nearest = new Int32Array(count);
  for (let row = 0; row < count; row++) {
    if (slots[row]! >= 0 && has(slots[row]!)) nearest[row] = row;
    else nearest[row] = row > 0 && groups[row - 1] === groups[row] ? nearest[row - 1]! : -1;
  }
  return nearest;
}

/** Returns by row the next row of its group, at or after it, that has a value; -1 where there is none. */
function rowsAfter(rows: AnswerRows, has: (slot: number) => boolean, memory: QueryMemory): Int32Array {
  const { count, groups, slots } = rows;
  memory.take(4 * count);
  const nearest = new Int32Array(count);
  for (let row = count - 1; row >= 0; row--) {
    if (slots[row]! >= 0 && has(slots[row]!)) nearest[row] = row;
    else nearest[row] = row + 1 < count && groups[row + 1] === groups[row] ? nearest[row + 1]! : -1;
  }
  return nearest;
}
