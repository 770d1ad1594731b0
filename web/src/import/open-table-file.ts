import { type FileBytes, FileFault } from '../../../src/import/file-bytes.ts';
import { kindOfFile } from '../../../src/import/file-kinds.ts';
import { openJson } from '../../../src/import/json/open-json.ts';
import { openParquet } from '../../../src/import/parquet/open-parquet.ts';
import { openTable, type Table } from '../../../src/import/tables/open-table.ts';
import { TableFault } from '../../../src/import/tables/table-fault.ts';
import type { Open, OpenedTable, Span, TableSettings } from './opened.ts';
import type { Reading } from './pace.ts';

const defaultSettings: TableSettings = { timestamp: 'Timestamp', timeForm: undefined, skip: [] };

export const open: Open = ({ bytes, file }, _settings, reading) =>
  openRows(bytes, file.name, defaultSettings, reading);

/**
 * Looks at every row of a table. What somebody must say first, such as the unit of its times, stands in `fault`: the page asks.
 * The start is a question of its own: rows are looked at as their numbers stand.
 */
export async function openRows(
  bytes: FileBytes,
  name: string,
  settings: TableSettings,
  reading: Reading,
): Promise<OpenedTable> {
  const opened = { kind: 'table', bytes, name, settings, start: 0n } as const;
  const read = async (start: bigint | undefined) => {
    const table = await readTable(bytes, name, settings, start);
    return {
      ...opened,
      table,
      hasStart: start === undefined,
      span: await spanOfTable(table, bytes.size, reading),
    };
  };
  try {
    return await read(undefined);
  } catch (error) {
    if (!isFault(error)) throw error;
    return read(0n).catch((other: unknown) => {
      if (!isFault(other)) throw other;
      return { ...opened, fault: error.message, hasStart: true };
    });
  }
}

function isFault(error: unknown): error is TableFault | FileFault {
  return error instanceof TableFault || error instanceof FileFault;
}

async function readTable(
  bytes: FileBytes,
  name: string,
  { timestamp, timeForm, skip }: TableSettings,
  start: bigint | undefined,
): Promise<Table> {
  // All rows go to one stream: where a column says another one, it is told.
  const options = { timestamp, tags: [], binaries: [], texts: [], skip, topic: '', stream: '' };
  const settings = { timeForm, start };
  const kind = kindOfFile(name);
  if (kind === 'json') return openJson(bytes, options, settings);
  if (kind === 'arrow') {
    const { openArrow } = await import('../../../src/import/arrow/open-arrow.ts');
    return openTable(await openArrow(bytes), options, settings);
  }
  return openTable(await openParquet(bytes, {}), options, settings);
}

async function spanOfTable(
  { columns, rows, read }: Table,
  size: number,
  { onBytes, pace }: Reading,
): Promise<Span | undefined> {
  const at = columns.findIndex(({ use }) => use === 'timestamp');
  let span: Span | undefined;
  let seen = 0;
  for await (const cells of read()) {
    const time = cells[at] as bigint;
    span = {
      from: span === undefined || time < span.from ? time : span.from,
      to: span === undefined || time > span.to ? time : span.to,
    };
    seen++;
    const pause = pace();
    if (pause === undefined) continue;
    onBytes((seen / rows) * size);
    await pause;
  }
  return span;
}
