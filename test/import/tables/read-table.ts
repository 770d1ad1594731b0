import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { openArrow } from '../../../src/import/arrow/open-arrow.ts';
import type { FileBytes } from '../../../src/import/file-bytes.ts';
import { openJson } from '../../../src/import/json/open-json.ts';
import { openParquet } from '../../../src/import/parquet/open-parquet.ts';
import type { TableOptions } from '../../../src/import/tables/name-columns.ts';
import { openTable, type Table } from '../../../src/import/tables/open-table.ts';
import type { TimeSettings } from '../../../src/import/tables/settle-time.ts';
import type { Cell } from '../../../src/import/tables/table-source.ts';

/** What the tests say of a table; the rest is as the command says it without options. */
export type Given = Partial<TableOptions & TimeSettings>;

export function bytesOf(bytes: Uint8Array): FileBytes {
  return { size: bytes.length, read: async (offset, length) => bytes.slice(offset, offset + length) };
}

const pages = {
  GZIP: (input: Uint8Array) => gunzipSync(input),
  BROTLI: (input: Uint8Array) => brotliDecompressSync(input),
};

export async function openParquetBytes(bytes: Uint8Array, given: Given = {}): Promise<Table> {
  return openTable(await openParquet(bytesOf(bytes), pages), optionsOf(given), timesOf(given));
}

export async function openArrowBytes(bytes: Uint8Array, given: Given = {}): Promise<Table> {
  return openTable(await openArrow(bytesOf(bytes)), optionsOf(given), timesOf(given));
}

export async function openJsonText(text: string, given: Given = {}): Promise<Table> {
  return openJson(bytesOf(Buffer.from(text)), optionsOf(given), timesOf(given));
}

export function optionsOf(given: Given): TableOptions {
  const none = { tags: [], binaries: [], texts: [], skip: [] };
  return { timestamp: 'Timestamp', topic: 'cars', stream: 's', ...none, ...given };
}

export function timesOf({ timeForm, start }: Given): TimeSettings {
  return { timeForm, start };
}

type Shown = number | string | null | Uint8Array;

/** The times of all rows, and the other columns that are not left out, each with its use. */
export async function contentOf(
  table: Table,
): Promise<{ times: bigint[]; columns: Record<string, Shown[]>; uses: Record<string, string> }> {
  const times: bigint[] = [];
  const columns: Record<string, Shown[]> = {};
  const uses: Record<string, string> = {};
  for (const { name, use } of table.columns) {
    if (use === 'timestamp' || use === 'ignored') continue;
    columns[name] = [];
    uses[name] = use;
  }
  for await (const cells of table.read()) {
    for (const [i, { name, use }] of table.columns.entries()) {
      if (use === 'timestamp') times.push(cells[i] as bigint);
      else if (use !== 'ignored') columns[name]!.push(shown(cells[i]!, use));
    }
  }
  return { times, columns, uses };
}

/** What the service would store: the double of a number, the text of a string. */
function shown(cell: Cell, use: string): Shown {
  if (cell === null || cell instanceof Uint8Array) return cell;
  if (typeof cell === 'number' && use === 'numeric') return cell;
  const text = typeof cell === 'object' ? cell.text : String(cell);
  return use === 'numeric' ? Number(text) : text;
}
