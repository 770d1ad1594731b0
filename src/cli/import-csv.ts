import { CommandError } from './command.ts';
import { type CsvRow, readCsv } from './csv-rows.ts';
import { type Cell, createColumnSurvey, encodeCell, isNumber, timestampDigits } from './import-cell.ts';
import {
  type ImportOptions,
  type ImportTable,
  type NamedColumn,
  nameColumns,
  usedColumns,
} from './import-table.ts';

/**
 * Surveys a CSV file. Every row is checked, and every column becomes numeric if each of its cells is a number that
 * a double holds, else string. An empty cell is no value. Cells in quotes are text, empty or not, where the timestamp
 * of their row has none; in a file that quotes everything quotes mean nothing.
 * Throws a CommandError that names line and column.
 */
export async function openCsv(path: string, options: ImportOptions): Promise<ImportTable> {
  const { columns, rows } = await surveyCsv(readCsv(path), options);
  return {
    columns,
    rows,
    async *read() {
      const time = columns.findIndex(({ use }) => use === 'timestamp');
      let isHeader = true;
      for await (const row of readCsv(path)) {
        if (!isHeader) {
          yield columns.map(({ name, use }, i) =>
            i === time
              ? timestampDigits(row.cells[i]!, () => placeOf(row, name))
              : encodeCell(cellOf(row, i, time), use),
          );
        }
        isHeader = false;
      }
    },
  };
}

export async function surveyCsv(
  rows: AsyncIterable<CsvRow>,
  options: ImportOptions,
): Promise<Pick<ImportTable, 'columns' | 'rows'>> {
  let columns: NamedColumn[] | undefined;
  let surveys: ReturnType<typeof createColumnSurvey>[] = [];
  let time = 0;
  let count = 0;
  for await (const row of rows) {
    if (columns === undefined) {
      columns = nameColumns(checkHeader(row.cells), options);
      surveys = columns.map(({ kind }) => createColumnSurvey(kind));
      time = columns.findIndex(({ role }) => role === 'timestamp');
      continue;
    }
    if (row.cells.length !== columns.length) {
      throw new CommandError(
        `line ${row.line} has ${row.cells.length} cells; the header has ${columns.length}`,
      );
    }
    for (const [i, { column, role }] of columns.entries()) {
      const place = (): string => placeOf(row, column);
      if (role === 'timestamp') timestampDigits(row.cells[i]!, place);
      else if (role === 'value') surveys[i]!.see(cellOf(row, i, time), place);
      else if ((role === 'stream' || role === 'topic') && row.cells[i] === '')
        throw new CommandError(`${place()}: there is no ${role}`);
    }
    count++;
  }
  if (columns === undefined) throw new CommandError('the file has no header line');
  return { columns: usedColumns(columns, surveys, options), rows: count };
}

function placeOf({ line }: CsvRow, column: string): string {
  return `line ${line}, column ${column}`;
}

function cellOf({ cells, quoted }: CsvRow, i: number, time: number): Cell {
  const text = cells[i]!;
  if (quoted[i] === true && quoted[time] !== true) return text;
  if (text === '') return null;
  return isNumber(text) ? { text, value: Number(text) } : text;
}

function checkHeader(header: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  header.forEach((name, i) => {
    if (name === '') throw new CommandError(`column ${i + 1} has no name in the header`);
    if (seen.size === seen.add(name).size)
      throw new CommandError(`the header names the column ${name} twice`);
  });
  return header;
}
