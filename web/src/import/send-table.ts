import type { NewParameterData } from '../../../src/client/models.ts';
import type { MetCell } from '../../../src/import/same-time/met-values.ts';
import { storedNotes } from '../../../src/import/same-time/notes.ts';
import { RowStore, type SameTimeChoices } from '../../../src/import/same-time/stored-rows.ts';
import type { Table } from '../../../src/import/tables/open-table.ts';
import type { Cell } from '../../../src/import/tables/table-source.ts';
import type { Reading } from './pace.ts';
import { ImportStopped, type SentRows, type Write } from './send.ts';

/** So many cells make a payload: some hundred kilobytes. Texts count by their length. */
const batchCells = 40_000;
const charactersOfCell = 10;

/** How a table is written. */
export interface TableChoice {
  /** Is added to times, ns. */
  readonly start: bigint;
  readonly choices: SameTimeChoices;
}

/** Writes the rows of a table. Throws ImportStopped. */
export async function sendTable(
  table: Table,
  { start: shift, choices }: TableChoice,
  write: Write,
  signal: AbortSignal,
  { onBytes, pace }: Reading,
): Promise<SentRows> {
  const { columns, times, time, read } = table;
  const store = storeOf(table, choices);
  const canMeet = store.canMeet();
  const timeAt = columns.findIndex(({ use }) => use === 'timestamp');
  let row = 0;
  let run = 0;
  let batch: Cell[][] = [];
  let waiting = 0;
  let written = 0;
  const flush = async () => {
    if (batch.length === 0) return;
    signal.throwIfAborted();
    await write(payloadOfTable(batch, columns, shift), run);
    written += batch.length;
    onBytes(written);
    batch = [];
    waiting = 0;
  };
  try {
    for await (const cells of read()) {
      const pause = pace();
      if (pause !== undefined) await pause;
      row++;
      const values = cells.map((cell, i) => metCell(cell, columns[i]!.use));
      if (canMeet) {
        const stored = store.place(cells[timeAt] as bigint, row, cells, values);
        if (stored === undefined) continue;
        const { run: next, time: moment } = stored;
        if (next !== run) await flush();
        run = next;
        cells[timeAt] = moment;
      } else if (!store.count(values)) continue;
      batch.push(cells);
      for (const cell of cells) waiting += 1 + Math.floor(lengthOf(cell) / charactersOfCell);
      if (waiting >= batchCells) await flush();
    }
    await flush();
    const stored = store.result();
    const words = { seen: times, noun: 'row', start: time.start, isJson: false, namesOptions: false };
    return { ...stored, notes: storedNotes(stored, words, choices) };
  } catch (error) {
    throw new ImportStopped(written, undefined, error as Error);
  }
}

function storeOf({ columns, times }: Table, choices: SameTimeChoices): RowStore {
  const channels = columns.flatMap(({ use }, i) =>
    use === 'numeric' || use === 'string' || use === 'binary' ? [i] : [],
  );
  const names = channels.map((i) => columns[i]!.name);
  return new RowStore(times, [{ form: { channels, isJson: false }, names }], choices);
}

/** A cell as it is compared with others. */
function metCell(cell: Cell, use: Table['columns'][number]['use']): MetCell {
  if (cell === null || typeof cell === 'number' || typeof cell === 'string') return cell;
  return use === 'numeric' ? numberOf(cell) : textOf(cell);
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
