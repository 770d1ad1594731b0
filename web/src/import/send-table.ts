import type { NewParameterData } from '../../../src/client/models.ts';
import type { Table } from '../../../src/import/tables/open-table.ts';
import type { Cell } from '../../../src/import/tables/table-source.ts';
import type { Reading } from './pace.ts';
import { ImportStopped, type Write } from './send.ts';

/** So many cells make a payload: some hundred kilobytes. Texts count by their length. */
const batchCells = 40_000;
const charactersOfCell = 10;

/**
 * Writes the rows of a table; gives their number. Throws ImportStopped.
 * @param shift is added to times, ns
 */
export async function sendTable(
  { columns, read }: Table,
  shift: bigint,
  write: Write,
  signal: AbortSignal,
  { onBytes, pace }: Reading,
): Promise<number> {
  let batch: Cell[][] = [];
  let waiting = 0;
  let written = 0;
  const flush = async () => {
    if (batch.length === 0) return;
    signal.throwIfAborted();
    await write(payloadOfTable(batch, columns, shift));
    written += batch.length;
    onBytes(written);
    batch = [];
    waiting = 0;
  };
  try {
    for await (const cells of read()) {
      const pause = pace();
      if (pause !== undefined) await pause;
      batch.push(cells);
      for (const cell of cells) waiting += 1 + Math.floor(lengthOf(cell) / charactersOfCell);
      if (waiting >= batchCells) await flush();
    }
    await flush();
    return written;
  } catch (error) {
    throw new ImportStopped(written, undefined, error as Error);
  }
}

function lengthOf(cell: Cell): number {
  return typeof cell === 'string' || cell instanceof Uint8Array ? cell.length : 0;
}

/** Rows as one payload. */
export function payloadOfTable(
  rows: readonly (readonly Cell[])[],
  columns: Table['columns'],
  shift: bigint,
): NewParameterData {
  const columnsOf = <Value>(wanted: string, value: (cell: NonNullable<Cell>) => Value) =>
    Object.fromEntries(
      columns.flatMap(({ name, use }, i) =>
        use === wanted ? [[name, rows.map((row) => (row[i] === null ? null : value(row[i]!)))]] : [],
      ),
    );
  const time = columns.findIndex(({ use }) => use === 'timestamp');
  return {
    timestamps: rows.map((row) => (row[time] as bigint) + shift),
    numericValues: columnsOf('numeric', numberOf),
    stringValues: columnsOf('string', textOf),
    binaryValues: columnsOf('binary', bytesOf),
    tagValues: columnsOf('tag', textOf),
  };
}

/** A double holds it: others are text. */
function numberOf(cell: NonNullable<Cell>): number {
  return typeof cell === 'object' && 'value' in cell ? cell.value : Number(cell);
}

function textOf(cell: NonNullable<Cell>): string {
  return typeof cell === 'object' && 'text' in cell ? cell.text : String(cell);
}

function bytesOf(cell: NonNullable<Cell>): Uint8Array {
  if (cell instanceof Uint8Array) return cell;
  return Uint8Array.from(atob(textOf(cell)), (letter) => letter.charCodeAt(0));
}
