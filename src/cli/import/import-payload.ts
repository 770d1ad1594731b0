import type { ColumnUse } from './import-cell.ts';
import type { ImportColumn } from './import-table.ts';

/** Rows of a file as one payload of parameter data, from the JSON of their cells. */
export interface Payload {
  /** Cells are aligned with the columns. */
  add(cells: readonly string[]): void;
  rows(): number;
  /** About the length of the text, in UTF-16 units. */
  size(): number;
  /** The members of the JSON object, without its braces; the payload is empty afterwards. */
  take(): string;
}

const groups = {
  numeric: 'numericValues',
  string: 'stringValues',
  binary: 'binaryValues',
  tag: 'tagValues',
} as const;

export function createPayload(columns: readonly ImportColumn[]): Payload {
  const used = columns.flatMap(({ use }, i) => (use === 'timestamp' || use in groups ? [i] : []));
  let cells: string[][] = columns.map(() => []);
  let rows = 0;
  let size = 0;

  const group = (use: ColumnUse & keyof typeof groups): string => {
    const members: string[] = [];
    columns.forEach((column, i) => {
      if (column.use === use) members.push(`${JSON.stringify(column.name)}:[${cells[i]!.join(',')}]`);
    });
    return members.length === 0 ? '' : `,"${groups[use]}":{${members.join(',')}}`;
  };

  return {
    rows: () => rows,
    size: () => size,
    add(values) {
      for (const i of used) {
        const cell = values[i]!;
        cells[i]!.push(cell);
        size += cell.length + 1;
      }
      rows++;
    },
    take() {
      const timestamps = cells[columns.findIndex(({ use }) => use === 'timestamp')]!;
      const values = `${group('numeric')}${group('string')}${group('binary')}${group('tag')}`;
      cells = columns.map(() => []);
      rows = 0;
      size = 0;
      return `"timestamps":[${timestamps.join(',')}]${values}`;
    },
  };
}
