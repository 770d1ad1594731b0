import { type Column, Kind, type Rows } from '../domain/parameter-data.ts';

/**
 * A copy of rows with the wanted columns: the arrays of a decoder are used again for the next request. Undefined where
 * no column is wanted.
 */
export function captureRows(
  all: readonly Rows[],
  isWanted: (parameter: string) => boolean,
): Rows[] | undefined {
  const captured: Rows[] = [];
  for (const rows of all) {
    const columns = rows.columns.filter(({ name }) => isWanted(name));
    if (columns.length > 0) captured.push(copyRows(rows, columns));
  }
  return captured.length === 0 ? undefined : captured;
}

function copyRows({ count, base, offsets, tagSets, tagIndex }: Rows, columns: readonly Column[]): Rows {
  return {
    count,
    base,
    offsets: offsets.slice(0, count),
    tagSets: [...tagSets],
    tagIndex: tagIndex?.slice(0, count),
    columns: columns.map((column) => copyColumn(column, count)),
  };
}

function copyColumn(column: Column, count: number): Column {
  const present = column.present?.slice(0, (count + 7) >> 3);
  if (column.kind === Kind.Numeric) return { ...column, values: column.values.slice(0, count), present };
  const ends = column.ends.slice(0, count);
  return { ...column, bytes: column.bytes.slice(0, ends[count - 1] ?? 0), ends, present };
}
