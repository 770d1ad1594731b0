import {
  type BytesColumn,
  type Column,
  isPresent,
  Kind,
  presenceWithout,
  type Rows,
} from '../../domain/parameter-data.ts';
import { type Steps, whole } from '../../turns/steps.ts';

/** What rows carry besides their time. */
export type RowValues = Pick<Rows, 'columns' | 'tagSets' | 'tagIndex'>;

/** The rows with at least one value (a row of nulls stores nothing), ascending; undefined where all have one. */
export function rowsWithValues(columns: readonly Column[], count: number): Uint32Array | undefined {
  if (columns.some(({ present }) => present === undefined)) return undefined;
  const any = new Uint8Array((count + 7) >> 3);
  for (const { present } of columns) for (let i = 0; i < any.length; i++) any[i]! |= present![i]!;
  const found = new Uint32Array(count);
  let length = 0;
  for (let row = 0; row < count; row++) if (isPresent(any, row)) found[length++] = row;
  return length === count ? undefined : found.subarray(0, length);
}

/** A copy of the given rows, in their order; columns and tag sets that none of them uses are left out. */
export function selectRows(values: RowValues, rows: Uint32Array): RowValues {
  return whole(selectSteps(values, rows));
}

/** Selects rows in steps, column by column. */
export function* selectSteps({ columns, tagSets, tagIndex }: RowValues, rows: Uint32Array): Steps<RowValues> {
  const selected: Column[] = [];
  for (const column of columns) {
    yield;
    const nulls: number[] = [];
    for (let to = 0; to < rows.length; to++) if (!isPresent(column.present, rows[to]!)) nulls.push(to);
    if (nulls.length === rows.length) continue;
    const present = presenceWithout(nulls, rows.length);
    if (column.kind === Kind.Numeric) {
      const numbers = new Float64Array(rows.length);
      for (let to = 0; to < rows.length; to++) numbers[to] = column.values[rows[to]!]!;
      selected.push({ ...column, values: numbers, present });
    } else {
      selected.push({ ...column, ...selectBytes(column, rows), present });
    }
  }
  if (tagIndex === undefined) return { columns: selected, tagSets, tagIndex };
  yield;
  const used = new Map<number, number>();
  const index = Uint32Array.from(rows, (row) => {
    const set = tagIndex[row]!;
    const known = used.get(set) ?? used.size;
    used.set(set, known);
    return known;
  });
  const sets = [...used.keys()].map((set) => tagSets[set]!);
  return { columns: selected, tagSets: sets, tagIndex: sets.length === 1 ? undefined : index };
}

function selectBytes({ bytes, ends }: BytesColumn, rows: Uint32Array): Pick<BytesColumn, 'bytes' | 'ends'> {
  const startOf = (row: number) => (row === 0 ? 0 : ends[row - 1]!);
  let length = 0;
  const newEnds = Uint32Array.from(rows, (row) => {
    length += ends[row]! - startOf(row);
    return length;
  });
  const newBytes = new Uint8Array(length);
  rows.forEach((row, to) => {
    newBytes.set(bytes.subarray(startOf(row), ends[row]!), to === 0 ? 0 : newEnds[to - 1]!);
  });
  return { bytes: newBytes, ends: newEnds };
}
