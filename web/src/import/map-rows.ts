import type { NewParameterData } from '../../../src/client/models.ts';
import { numberOfCell, timeForms, timeOfCell } from './cells.ts';
import type { CsvRow } from './csv.ts';
import type { Mapping } from './mapping.ts';

/** A row as the mapping reads it, its cells aligned with the mapping's columns. */
export interface MappedRow {
  readonly line: number;
  readonly time: bigint;
  readonly cells: readonly (number | string | null)[];
}

/** What is wrong with a row. */
export interface RowFault {
  readonly line: number;
  readonly message: string;
}

export function isFault(row: MappedRow | RowFault): row is RowFault {
  return 'message' in row;
}

export function mapRow({ line, cells }: CsvRow, mapping: Mapping): MappedRow | RowFault {
  const { columns, timeForm, epoch } = mapping;
  const fault = (message: string): RowFault => ({ line, message });
  if (cells.length !== columns.length)
    return fault(
      `${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}; the header has ${columns.length}`,
    );
  let time: bigint | undefined;
  const values: (number | string | null)[] = [];
  for (const [i, { header, role }] of columns.entries()) {
    const text = cells[i]!;
    if (role === 'time') {
      time = timeOfCell(text, timeForm, epoch);
      if (time === undefined)
        return fault(`${header}: ${quoted(text)} is no time in the form "${nameOf(timeForm)}"`);
    }
    if (role === 'number' && text !== '') {
      const value = numberOfCell(text.trim());
      if (value === undefined) return fault(`${header}: ${quoted(text)} is not a number`);
      values.push(value);
    } else values.push(text === '' || role === 'skip' || role === 'time' ? null : text);
  }
  return { line, time: time!, cells: values };
}

/** Rows as one payload. */
export function payloadOf(rows: readonly MappedRow[], { columns }: Mapping): NewParameterData {
  const columnsOf = <Value>(wanted: string) =>
    Object.fromEntries(
      columns.flatMap(({ name, role }, i) =>
        role === wanted ? [[name.trim(), rows.map(({ cells }) => cells[i] as Value)]] : [],
      ),
    );
  return {
    timestamps: rows.map(({ time }) => time),
    numericValues: columnsOf<number | null>('number'),
    stringValues: columnsOf<string | null>('text'),
    tagValues: columnsOf<string | null>('tag'),
  };
}

function nameOf(form: Mapping['timeForm']): string {
  return timeForms.find(([key]) => key === form)![1];
}

function quoted(text: string): string {
  return `'${text.length > 40 ? `${text.slice(0, 40)}…` : text}'`;
}
