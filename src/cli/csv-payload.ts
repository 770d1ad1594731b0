import type { CsvRow } from './csv-rows.ts';
import { type CsvColumn, readTimestamp, spelledNumbers } from './csv-survey.ts';

/**
 * Rows of a file as one payload of parameter data. Numbers keep the digits that they have in the file; an empty
 * cell is null.
 */
export interface Payload {
  add(row: CsvRow): void;
  readonly rows: number;
  /** About the length of the text, in UTF-16 units. */
  readonly size: number;
  /** The JSON text of the rows so far; the payload is empty afterwards. */
  take(): string;
}

const groups = { numeric: 'numericValues', string: 'stringValues', tag: 'tagValues' } as const;

export function createPayload(columns: readonly CsvColumn[]): Payload {
  let cells: string[][] = columns.map(() => []);
  let rows = 0;
  let size = 0;

  const group = (use: keyof typeof groups): string => {
    const members: string[] = [];
    columns.forEach((column, i) => {
      if (column.use === use) members.push(`${JSON.stringify(column.name)}:[${cells[i]!.join(',')}]`);
    });
    return members.length === 0 ? '' : `,"${groups[use]}":{${members.join(',')}}`;
  };

  return {
    get rows() {
      return rows;
    },
    get size() {
      return size;
    },
    add({ line, cells: values }) {
      columns.forEach(({ name, use }, i) => {
        if (use === 'empty') return;
        const cell = use === 'timestamp' ? readTimestamp(values[i]!, line, name) : encode(values[i]!, use);
        cells[i]!.push(cell);
        size += cell.length + 1;
      });
      rows++;
    },
    take() {
      const timestamps = cells[columns.findIndex(({ use }) => use === 'timestamp')]!;
      const text = `{"timestamps":[${timestamps.join(',')}]${group('numeric')}${group('string')}${group('tag')}}`;
      cells = columns.map(() => []);
      rows = 0;
      size = 0;
      return text;
    },
  };
}

function encode(cell: string, use: 'numeric' | 'string' | 'tag'): string {
  if (cell === '') return 'null';
  return use === 'numeric' && !spelledNumbers.has(cell) ? cell : JSON.stringify(cell);
}
