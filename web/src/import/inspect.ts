import { numberOfCell, timeOfCell } from './cells.ts';
import { CsvFault } from './csv.ts';
import { readCsv } from './read-csv.ts';

/** What the cells of a column are, over the whole file. */
export interface ColumnFacts {
  readonly header: string;
  readonly numbers: number;
  readonly texts: number;
  readonly empty: number;
  /** How many cells are dates with a time. */
  readonly dates: number;
  /** How many are decimals, with more digits than numbers can have perhaps: times since a start. */
  readonly decimals: number;
  /** The first cells. */
  readonly sample: readonly string[];
}

export interface FileFacts {
  readonly columns: readonly ColumnFacts[];
  readonly rows: number;
}

export const sampleRows = 5;

/** Reads a whole file to learn what is in it. Throws CsvFault where it has no usable header. */
export async function inspect(file: Blob, onBytes: (bytes: number) => void): Promise<FileFacts> {
  let columns: Growing[] | undefined;
  let rows = 0;
  for await (const piece of readCsv(file)) {
    for (const { line, cells } of piece.rows) {
      if (columns === undefined) {
        columns = headerOf(line, cells).map((header) => ({
          header,
          numbers: 0,
          texts: 0,
          empty: 0,
          dates: 0,
          decimals: 0,
          sample: [],
        }));
        continue;
      }
      rows++;
      for (const [i, column] of columns.entries()) {
        const cell = cells[i] ?? '';
        if (rows <= sampleRows) column.sample = [...column.sample, cell];
        see(column, cell);
      }
    }
    onBytes(piece.bytes);
  }
  if (columns === undefined) throw new CsvFault(1, 'the file is empty');
  if (rows === 0) throw new CsvFault(1, 'there is a header and no row');
  return { columns, rows };
}

type Growing = { -readonly [Key in keyof ColumnFacts]: ColumnFacts[Key] };

function see(column: Growing, cell: string): void {
  if (cell === '') {
    column.empty++;
    return;
  }
  if (timeOfCell(cell, 'ns', 0n) !== undefined) column.decimals++;
  if (numberOfCell(cell) !== undefined) column.numbers++;
  else {
    column.texts++;
    if (timeOfCell(cell, 'iso', 0n) !== undefined) column.dates++;
  }
}

function headerOf(line: number, cells: readonly string[]): readonly string[] {
  const names = cells.map((name) => name.trim());
  for (const [i, name] of names.entries()) {
    if (name === '') throw new CsvFault(line, `column ${i + 1} has no name`);
    if (names.indexOf(name) !== i) throw new CsvFault(line, `two columns are named ${name}`);
  }
  return names;
}
