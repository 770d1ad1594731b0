import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBBlobValue, type DuckDBConnection, DuckDBTimestampNanosecondsValue } from '@duckdb/node-api';
import { tableFromIPC } from 'apache-arrow';
import { parse } from 'csv-parse/sync';

/** A table as any reader sees it: names, and cells as texts; null is none. */
export interface PlainTable {
  readonly names: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** Numbers as JavaScript writes them (but -0), times as digits, binaries in base64. */
export function cellText(cell: unknown): string | null {
  if (cell === null || cell === undefined) return null;
  if (cell instanceof DuckDBTimestampNanosecondsValue) return String(cell.nanos);
  if (cell instanceof DuckDBBlobValue) return Buffer.from(cell.bytes).toString('base64');
  if (cell instanceof Uint8Array) return Buffer.from(cell).toString('base64');
  return Object.is(cell, -0) ? '-0' : String(cell);
}

/** Without a value is an empty cell without quotes. */
export function readCsv(bytes: Buffer): PlainTable {
  const [names, ...rows] = parse(bytes, {
    cast: (cell, { quoting }) => (cell === '' && !quoting ? null : cell),
  }) as (string | null)[][];
  return { names: names as string[], rows };
}

export async function readParquet(
  bytes: Buffer,
  folder: string,
  duckdb: DuckDBConnection,
): Promise<PlainTable & { readonly types: readonly string[]; readonly path: string }> {
  // A name of its own each time: DuckDB keeps what it has read of a file.
  const path = join(folder, `${randomUUID()}.parquet`);
  writeFileSync(path, bytes);
  const reader = await duckdb.runAndReadAll(`SELECT * FROM '${path}'`);
  return {
    path,
    names: reader.columnNames(),
    types: reader.columnTypes().map(String),
    rows: reader.getRows().map((row) => row.map(cellText)),
  };
}

export function readArrow(bytes: Buffer): PlainTable & { readonly types: readonly string[] } {
  const table = tableFromIPC(bytes);
  const times = table.batches.flatMap((batch) => [...(batch.data.children[0]!.values as BigInt64Array)]);
  const columns = table.schema.fields.map((_, i) => table.getChildAt(i)!);
  return {
    names: table.schema.fields.map(({ name }) => name),
    types: table.schema.fields.map(({ type }) => String(type)),
    rows: times.map((time, row) =>
      columns.map((column, i) => (i === 0 ? String(time) : cellText(column.get(row)))),
    ),
  };
}
