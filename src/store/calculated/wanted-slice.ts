import { frameRows, type NumberValues } from '../../query/runs/rows-to-aggregate.ts';
import type { StoredColumn, StoredRows } from '../../query/states/stored-rows.ts';
import { rowAt } from './column-evaluator.ts';

/**
 * Those rows that lie between the wanted times, as if they were stored by themselves: of a column only the frames that hold
 * them are decoded. Undefined where there are none, some inside are hidden, or a column is not of a number in every row.
 */
export function wantedSlice(rows: StoredRows): StoredRows | undefined {
  if (rows.hidden.length > 0 || rows.columns.some((column) => column && !isPlain(column))) return undefined;
  const offsets = rows.offsets();
  const [first, end] = [rowAt(offsets, rows.from, rows.count), rowAt(offsets, rows.to + 1, rows.count)];
  if (first >= end) return undefined;
  const own = offsets.subarray(first, end);
  const marks = new Uint8Array(Math.ceil(rows.count / frameRows));
  marks.fill(1, Math.floor(first / frameRows), Math.ceil(end / frameRows));
  return {
    ...rows,
    count: end - first,
    first: own[0]!,
    last: own[end - first - 1]!,
    offsetOf: (row) => rows.offsetOf(first + row),
    offsets: () => own,
    tags() {
      const { tagSets, tagIndex } = rows.tags();
      return { tagSets, tagIndex: tagIndex?.subarray(first, end) };
    },
    columns: rows.columns.map((column) => column && slice(column, first, end, marks)),
  };
}

function isPlain({ isDense, isNumeric }: StoredColumn): boolean {
  return isDense && isNumeric;
}

/** The rows [first, end) of a column, which the marked frames hold. */
function slice(column: StoredColumn, first: number, end: number, marks: Uint8Array): StoredColumn {
  function decode(into?: Float64Array): NumberValues {
    const values = column.decodeFrames(marks).values.subarray(first, end);
    into?.set(values);
    return { values: into ?? values, present: undefined };
  }
  return {
    isDense: true,
    isNumeric: true,
    decode,
    statistics: () => undefined,
    sumRuns: () => false,
    decodeFrames: () => decode(),
  };
}
