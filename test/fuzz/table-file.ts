import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandError } from '../../src/cli/command.ts';
import { importTable, openRows, type RowsKind } from '../../src/cli/import/import-rows.ts';
import type { ImportOptions, ImportTable } from '../../src/cli/import/import-table.ts';
import { TableFault } from '../../src/import/tables/table-fault.ts';
import { bytesOf } from '../import/tables/read-table.ts';

/** A file that `pitwall import` would read: each check writes it anew. */
export interface TableFile {
  readonly path: string;
  write(bytes: Buffer): void;
  readonly close: () => Promise<void>;
}

export function createTableFile(name: string): TableFile {
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-fuzz-'));
  const path = join(folder, name);
  return {
    path,
    write: (bytes) => writeFileSync(path, bytes),
    close: async () => rmSync(folder, { recursive: true }),
  };
}

export const importOptions: ImportOptions = {
  timestamp: 'Timestamp',
  tags: [],
  binaries: [],
  texts: [],
  skip: [],
  topic: 'cars',
  stream: 's',
};

/** Opens a table whose cells have types. */
export async function openBytes(
  bytes: Uint8Array,
  kind: RowsKind,
  start: bigint | undefined,
): Promise<ImportTable> {
  return importTable(
    'file',
    await openRows(bytesOf(bytes), kind, importOptions, { timeForm: undefined, start }),
  );
}

/**
 * Reads a table as the import does: all that it gives is JSON, each row has a cell for each column and a timestamp of 64 bits,
 * and there are as many rows as the survey has counted; or it is refused with a message for who called it.
 */
export async function readTable(opening: Promise<ImportTable>): Promise<void> {
  let table: ImportTable;
  try {
    table = await opening;
  } catch (error) {
    if (error instanceof CommandError || error instanceof TableFault) return;
    throw error;
  }
  let rows = 0;
  for await (const cells of table.read()) {
    rows++;
    if (cells.length !== table.columns.length) throw new Error(`row ${rows} has ${cells.length} cells`);
    for (const [i, cell] of cells.entries()) checkCell(cell, table.columns[i]!.use);
  }
  if (rows !== table.rows) throw new Error(`gives ${rows} rows and has counted ${table.rows}`);
}

function checkCell(cell: string, use: string): void {
  if (use === 'timestamp') {
    if (!/^-?\d+$/.test(cell) || BigInt.asIntN(64, BigInt(cell)) !== BigInt(cell))
      throw new Error(`the timestamp ${cell}`);
    return;
  }
  const value = JSON.parse(cell) as unknown;
  if (value === null || use === 'ignored' || use === 'empty') return;
  const isNumber = typeof value === 'number' ? Number.isFinite(value) : spelled.includes(String(value));
  if (use === 'numeric' ? !isNumber : typeof value !== 'string') throw new Error(`the ${use} cell ${cell}`);
}

const spelled = ['NaN', 'Infinity', '-Infinity'];
