import { type Column, isPresent, Kind, type Presence } from '../../domain/parameter-data.ts';
import type { RowBlock } from '../row-block.ts';

/** Rows of a block, in the order of `rows`, in arrays of their own. Columns without a value there are undefined. */
export function pickRows(block: RowBlock, rows: Uint32Array): RowBlock {
  const { offsets, streamIndex, tagIndex, columns } = block;
  return {
    ...block,
    count: rows.length,
    offsets: pickDoubles(offsets, rows),
    streamIndex: streamIndex && pickIndexes(streamIndex, rows),
    tagIndex: tagIndex && pickIndexes(tagIndex, rows),
    columns: columns.map((column) => column && pickColumn(column, rows)),
  };
}

export function pickDoubles(values: Float64Array, rows: Uint32Array): Float64Array {
  const picked = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) picked[i] = values[rows[i]!]!;
  return picked;
}

export function pickIndexes(index: Uint32Array, rows: Uint32Array): Uint32Array {
  const picked = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) picked[i] = index[rows[i]!]!;
  return picked;
}

/** The presence of rows; `none` where none of them has a value. */
export function pickPresence(present: Presence, rows: Uint32Array): Presence | 'none' {
  if (present === undefined) return undefined;
  const picked = new Uint8Array((rows.length + 7) >> 3);
  let found = 0;
  for (let i = 0; i < rows.length; i++) {
    if (!isPresent(present, rows[i]!)) continue;
    picked[i >> 3]! |= 1 << (i & 7);
    found++;
  }
  return found === 0 ? 'none' : found === rows.length ? undefined : picked;
}

function pickColumn(column: Column, rows: Uint32Array): Column | undefined {
  const present = pickPresence(column.present, rows);
  if (present === 'none') return undefined;
  if (column.kind === Kind.Numeric) return { ...column, values: pickDoubles(column.values, rows), present };
  const ends = new Uint32Array(rows.length);
  let length = 0;
  const startOf = (row: number) => (row === 0 ? 0 : column.ends[row - 1]!);
  for (let i = 0; i < rows.length; i++) {
    length += column.ends[rows[i]!]! - startOf(rows[i]!);
    ends[i] = length;
  }
  const bytes = new Uint8Array(length);
  for (let i = 0; i < rows.length; i++) {
    const [start, end] = [startOf(rows[i]!), column.ends[rows[i]!]!];
    if (end > start) bytes.set(column.bytes.subarray(start, end), i === 0 ? 0 : ends[i - 1]!);
  }
  return { ...column, bytes, ends, present };
}
