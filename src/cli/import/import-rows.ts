import { basename } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type FileBytes, FileFault } from '../../import/file-bytes.ts';
import type { FileKind } from '../../import/file-ends.ts';
import { streamCount } from '../../import/same-time/place-runs.ts';
import type { SameTimeChoices } from '../../import/same-time/stored-rows.ts';
import { openTable, type Table } from '../../import/tables/open-table.ts';
import type { TimeSettings } from '../../import/tables/settle-time.ts';
import { TableFault } from '../../import/tables/table-fault.ts';
import type { Client } from '../client.ts';
import { CommandError } from '../command.ts';
import { encodeCell } from './import-cell.ts';
import {
  columnsText,
  type ImportOptions,
  type ImportTable,
  importedText,
  placeText,
} from './import-table.ts';
import { openFile } from './open-file.ts';
import { runsThere } from './runs-there.ts';
import { checkRestarts, sendRows } from './send-rows.ts';
import { WhatIsIn } from './what-is-in.ts';

/** Kinds of files whose rows have types: other tables are text. */
export type RowsKind = Extract<FileKind, 'parquet' | 'json' | 'arrow'>;

/**
 * Imports a table whose cells have types; gives the line that says what is in, and what was taken for granted. Throws a CommandError
 * that names the place.
 */
export async function importRows(
  client: Client,
  path: string,
  kind: RowsKind,
  options: ImportOptions,
  settings: TimeSettings,
  choices: SameTimeChoices,
): Promise<string> {
  const file = await openFile(path);
  try {
    const table = await openRows(file, kind, options, settings);
    const cells = importTable(path, table);
    checkRestarts(path, cells, choices);
    const { topic, stream } = options;
    const there =
      topic === undefined || stream === undefined
        ? []
        : await runsThere(client, { topic, stream }, streamCount(table.times, choices.restarts));
    const sent = await sendRows(client, cells, options, choices, new WhatIsIn(client));
    const notes = [columnsText(table.columns), ...sent.notes, ...there, ...table.notes];
    return importedText(basename(path), sent, placeText(options), notes);
  } catch (error) {
    throw named(path, error);
  } finally {
    await file.close();
  }
}

/** Looks at every row of a file. Throws a TableFault or a FileFault. */
export async function openRows(
  file: FileBytes,
  kind: RowsKind,
  options: ImportOptions,
  settings: TimeSettings,
): Promise<Table> {
  if (kind === 'json') {
    const { openJson } = await import('../../import/json/open-json.ts');
    return openJson(file, options, settings);
  }
  if (kind === 'arrow') {
    const { openArrow } = await import('../../import/arrow/open-arrow.ts');
    return openTable(await openArrow(file), options, settings);
  }
  const { openParquet } = await import('../../import/parquet/open-parquet.ts');
  return openTable(await openParquet(file, pageCompressors), options, settings);
}

const pageCompressors = {
  GZIP: (input: Uint8Array, size: number) => gunzipSync(input, { maxOutputLength: size }),
  BROTLI: (input: Uint8Array, size: number) => brotliDecompressSync(input, { maxOutputLength: size }),
};

/** A table with its cells as JSON. */
export function importTable(path: string, { columns, rows, time, times, read }: Table): ImportTable {
  return {
    columns,
    rows,
    times,
    start: time.start,
    async *read() {
      try {
        for await (const cells of read()) yield cells.map((cell, i) => encodeCell(cell, columns[i]!.use));
      } catch (error) {
        throw named(path, error);
      }
    },
  };
}

function named(path: string, error: unknown): Error {
  if (error instanceof TableFault || error instanceof FileFault)
    return new CommandError(`${path}: ${error.message}`);
  // Of the system, such as a disk that fails.
  const { message, errno } = error as NodeJS.ErrnoException;
  return errno === undefined ? (error as Error) : new CommandError(`${path} cannot be read: ${message}`);
}
