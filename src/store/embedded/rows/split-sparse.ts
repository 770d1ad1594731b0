import { isPresent } from '../../../domain/parameter-data.ts';
import { gatherColumn, pickTags } from './gather-rows.ts';
import { startsAbsentByte } from './presence.ts';
import { bytesOfPlaces, countSamples, type GroupColumn, type RowGroup } from './row-group.ts';

/** From this share of values on a group takes less memory as it is: each small group costs a few hundred bytes. */
const sparseShare = 1 / 32;
/** What takes less than this is not worth the work. */
const leastBytes = 1024 * 1024;

/**
 * A group in which few rows have a value of any one parameter, as groups without places for values that are not there:
 * one for all rows that have the same parameters. Their rows lie between each other's in time. Any other group comes
 * back as it is.
 */
export function splitSparse(group: RowGroup): RowGroup[] {
  const { stream, count, offsets, columns } = group;
  if (bytesOfPlaces([group]) < leastBytes) return [group];
  if (countSamples(group) > sparseShare * count * columns.length) return [group];
  const sorted = new Float64Array(count);
  let at = 0;
  return rowsByColumns(group).map(({ rows, columns: present }) => {
    const picked = Uint32Array.from(rows);
    const own = sorted.subarray(at, at + rows.length);
    for (let i = 0; i < picked.length; i++) own[i] = offsets[picked[i]!]!;
    at += rows.length;
    return {
      stream,
      count: rows.length,
      offsets: own,
      ...pickTags(group, picked),
      columns: present.map((c) => pickValues(columns[c]!, picked)),
    };
  });
}

/** The values of rows that have one. */
function pickValues(column: GroupColumn, rows: Uint32Array): GroupColumn {
  if ('ends' in column)
    return { ...gatherColumn([column], new Uint32Array(rows.length), rows)!, present: undefined };
  const values = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) values[i] = column.values[rows[i]!]!;
  return { parameter: column.parameter, kind: column.kind, values, present: undefined };
}

/** Rows that have values in the same columns; those that have none are left out. */
interface AlikeRows {
  readonly columns: readonly number[];
  readonly rows: number[];
}

function rowsByColumns({ count, columns }: RowGroup): AlikeRows[] {
  const columnsOf: number[][] = Array.from({ length: count }, () => []);
  columns.forEach(({ present }, c) => {
    for (let row = 0; row < count; row++) {
      if (startsAbsentByte(present, row)) row += 7;
      else if (isPresent(present, row)) columnsOf[row]!.push(c);
    }
  });
  const alike = new Map<string, AlikeRows>();
  columnsOf.forEach((found, row) => {
    if (found.length === 0) return;
    const key = found.join();
    const known = alike.get(key);
    if (known === undefined) alike.set(key, { columns: found, rows: [row] });
    else known.rows.push(row);
  });
  return [...alike.values()];
}
