import { spelledNumbers } from '../../import/tables/numbers.ts';
import type { TableUse } from '../../import/tables/open-table.ts';
import type { Cell } from '../../import/tables/table-source.ts';

/** As a table's column, or the days of the times in a column beside it. */
export type ColumnUse = TableUse | 'day';

/** A value as JSON, in a column of that use; a timestamp as its digits. */
export function encodeCell(cell: Cell, use: ColumnUse): string {
  switch (typeof cell) {
    case 'number':
      return use === 'string' ? JSON.stringify(String(cell)) : numberText(cell);
    case 'string':
      return JSON.stringify(cell);
    case 'bigint':
      return use === 'numeric' || use === 'timestamp' ? String(cell) : `"${cell}"`;
    default:
      if (cell === null) return 'null';
      if (cell instanceof Uint8Array)
        return `"${Buffer.from(cell.buffer, cell.byteOffset, cell.length).toString('base64')}"`;
      return use === 'numeric' && !spelledNumbers.has(cell.text) ? cell.text : `"${cell.text}"`;
  }
}

/** A number as JSON; NaN and the infinities are spelled. */
export function numberText(value: number | null): string {
  if (value === null) return 'null';
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0' : String(value);
  return `"${value}"`;
}
