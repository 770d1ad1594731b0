import type { Presence } from './parameter-data.ts';

/** Rows in columns, whatever else a shape of them has. */
export interface SliceableRows {
  readonly count: number;
  readonly offsets: Float64Array;
  readonly tagIndex: Uint32Array | undefined;
  readonly columns: readonly (SliceableColumn | undefined)[];
}

type SliceableColumn =
  | { readonly values: Float64Array; readonly present: Presence }
  | { readonly bytes: Uint8Array; readonly ends: Uint32Array; readonly present: Presence };

/** The rows [from, to), sharing arrays where that is possible. */
export function sliceRows<Rows extends SliceableRows>(rows: Rows, from: number, to: number): Rows {
  if (from === 0 && to === rows.count) return rows;
  return {
    ...rows,
    count: to - from,
    offsets: rows.offsets.subarray(from, to),
    tagIndex: rows.tagIndex?.subarray(from, to),
    columns: rows.columns.map((column) => column && sliceColumn(column, from, to)),
  };
}

function sliceColumn(column: SliceableColumn, from: number, to: number): SliceableColumn {
  const present = slicePresence(column.present, from, to);
  if (!('ends' in column)) return { ...column, values: column.values.subarray(from, to), present };
  const { bytes, ends } = column;
  const start = from === 0 ? 0 : ends[from - 1]!;
  const end = to === 0 ? 0 : ends[to - 1]!;
  return {
    ...column,
    bytes: bytes.subarray(start, end),
    ends: start === 0 ? ends.subarray(from, to) : ends.slice(from, to).map((of) => of - start),
    present,
  };
}

/** The presence of the rows [from, to) as rows from 0 on. */
export function slicePresence(present: Presence, from: number, to: number): Presence {
  if (present === undefined || from === 0) return present;
  if ((from & 7) === 0) return present.subarray(from >> 3, (to + 7) >> 3);
  const slice = new Uint8Array((to - from + 7) >> 3);
  const start = from >> 3;
  const shift = from & 7;
  for (let i = 0; i < slice.length; i++) {
    slice[i] = (present[start + i]! >> shift) | ((present[start + i + 1] ?? 0) << (8 - shift));
  }
  if (((to - from) & 7) !== 0) slice[slice.length - 1]! &= (1 << ((to - from) & 7)) - 1;
  return slice;
}
