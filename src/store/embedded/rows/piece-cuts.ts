import { isPresent } from '../../../domain/parameter-data.ts';
import type { RowTable } from './row-table.ts';

/** Rows that are merged by themselves. */
export interface PieceCut {
  /** A range of the order of rows. */
  readonly from: number;
  readonly to: number;
  /** How many identities have a value, and of how many parameters. */
  readonly rows: number;
  readonly parameters: number;
  /** Offsets of the first and the last of them. */
  readonly first: number;
  readonly last: number;
}

/** What a piece may hold, unless one row alone holds more. */
export interface PieceLimits {
  readonly rows: number;
  /** In memory: 8 for each row and parameter, and what strings and binaries have. */
  readonly bytes: number;
  /** Whether rows of one time stay together whatever they take; otherwise rows of one identity do. */
  readonly wholeMoments: boolean;
}

/** Cuts all rows into pieces that follow one another in time, each as large as the limits allow. */
export function cutPieces(table: RowTable, limits: PieceLimits): PieceCut[] {
  const { groups, groupOf, firstRows, placesOf } = table;
  const { order, identityOf, offsets } = table.identities;
  const cuts: PieceCut[] = [];
  /** Per parameter the last piece, counted from 1, in which it has a value. */
  const seenIn = new Uint32Array(table.parameters.length);
  let from = 0;
  let counts = { rows: 0, parameters: 0, bytes: 0, first: 0, last: 0 };

  /** Counts the rows [start, end) of the order. */
  function count(start: number, end: number): void {
    const piece = cuts.length + 1;
    let counted = -1;
    for (let i = start; i < end; i++) {
      const row = order === undefined ? i : order[i]!;
      const source = groupOf[row]!;
      const { columns } = groups[source]!;
      const places = placesOf[source]!;
      const rowInGroup = row - firstRows[source]!;
      for (let c = 0; c < columns.length; c++) {
        const column = columns[c]!;
        if (!isPresent(column.present, rowInGroup)) continue;
        if (counted !== identityOf[row]) {
          counted = identityOf[row]!;
          counts.last = offsets[counted]!;
          if (counts.rows === 0) counts.first = counts.last;
          counts.rows++;
        }
        if (seenIn[places[c]!] !== piece) {
          seenIn[places[c]!] = piece;
          counts.parameters++;
        }
        if ('ends' in column) {
          counts.bytes += column.ends[rowInGroup]! - (rowInGroup === 0 ? 0 : column.ends[rowInGroup - 1]!);
        }
      }
    }
  }

  function cut(to: number, { rows, parameters, first, last }: typeof counts): void {
    cuts.push({ from, to, rows, parameters, first, last });
    from = to;
    counts = { rows: 0, parameters: 0, bytes: 0, first: 0, last: 0 };
  }

  /** What stays together with a row. */
  function unitOf(i: number): number {
    const identity = identityOf[order === undefined ? i : order[i]!]!;
    return limits.wholeMoments ? offsets[identity]! : identity;
  }

  for (let at = 0; at < identityOf.length; ) {
    let end = at + 1;
    while (end < identityOf.length && unitOf(end) === unitOf(at)) end++;
    const before = { ...counts };
    count(at, end);
    const { rows, parameters, bytes } = counts;
    if (before.rows > 0 && (rows > limits.rows || 8 * rows * parameters + bytes > limits.bytes)) {
      cut(at, before);
      count(at, end);
    }
    at = end;
  }
  if (counts.rows > 0) cut(identityOf.length, counts);
  return cuts;
}
