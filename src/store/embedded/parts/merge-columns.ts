import { isPresent, type Presence } from '../../../domain/parameter-data.ts';
import { countPresent, setPresent } from '../codecs/presence-codec.ts';
import type { GroupBytes, GroupColumn, GroupNumbers, RowGroup } from './sorted-rows.ts';

/** Where the rows of a group go in the merged one: row i to `rows[i]`, or to `at + i` without `rows`. */
export interface Placement {
  readonly group: RowGroup;
  readonly at: number;
  readonly rows: Uint32Array | undefined;
}

/**
 * The columns of a merged group of `count` rows. Values are stored in the order of the placements, so where
 * several rows go to one place the last one that has a value wins.
 */
export function mergeColumns(placements: readonly Placement[], count: number): GroupColumn[] {
  const byParameter = new Map<number, PlacedColumn[]>();
  for (const placement of placements) {
    for (const column of placement.group.columns) {
      const placed = { column, placement };
      const others = byParameter.get(column.parameter);
      if (others === undefined) byParameter.set(column.parameter, [placed]);
      else others.push(placed);
    }
  }
  return [...byParameter]
    .sort(([a], [b]) => a - b)
    .map(([, columns]) => {
      const numbers = columns.filter(isNumbers);
      return numbers.length > 0 ? mergeNumbers(numbers, count) : mergeBytes(columns.filter(isBytes), count);
    });
}

interface PlacedColumn {
  readonly column: GroupColumn;
  readonly placement: Placement;
}
type PlacedNumbers = PlacedColumn & { readonly column: GroupNumbers };
type PlacedBytes = PlacedColumn & { readonly column: GroupBytes };

function isNumbers(placed: PlacedColumn): placed is PlacedNumbers {
  return !('ends' in placed.column);
}

function isBytes(placed: PlacedColumn): placed is PlacedBytes {
  return 'ends' in placed.column;
}

function mergeNumbers(columns: readonly PlacedNumbers[], count: number): GroupNumbers {
  const values = new Float64Array(count);
  const bitmap = new Uint8Array(Math.ceil(count / 8));
  for (const { column, placement } of columns) {
    const { at, rows, group } = placement;
    if (rows === undefined && column.present === undefined) {
      values.set(column.values, at);
      setPresent(bitmap, at, at + group.count);
      continue;
    }
    for (let row = 0; row < group.count; row++) {
      if (!isPresent(column.present, row)) continue;
      const place = rows === undefined ? at + row : rows[row]!;
      values[place] = column.values[row]!;
      bitmap[place >> 3]! |= 1 << (place & 7);
    }
  }
  const { parameter, kind } = columns[0]!.column;
  return { parameter, kind, values, present: presenceOf(bitmap, count) };
}

const nowhere = -1;

function mergeBytes(columns: readonly PlacedBytes[], count: number): GroupBytes {
  /** For each place the column and the row whose value won it. */
  const winners = new Int32Array(count).fill(nowhere);
  const winnerRows = new Uint32Array(count);
  const bitmap = new Uint8Array(Math.ceil(count / 8));
  columns.forEach(({ column, placement: { at, rows, group } }, i) => {
    for (let row = 0; row < group.count; row++) {
      if (!isPresent(column.present, row)) continue;
      const place = rows === undefined ? at + row : rows[row]!;
      winners[place] = i;
      winnerRows[place] = row;
      bitmap[place >> 3]! |= 1 << (place & 7);
    }
  });
  const ends = new Uint32Array(count);
  let end = 0;
  for (let place = 0; place < count; place++) {
    const winner = winners[place]!;
    if (winner !== nowhere) {
      const { column } = columns[winner]!;
      end += column.ends[winnerRows[place]!]! - startOf(column, winnerRows[place]!);
    }
    ends[place] = end;
  }
  const { parameter, kind } = columns[0]!.column;
  return {
    parameter,
    kind,
    bytes: gather(columns, winners, winnerRows, end),
    ends,
    present: presenceOf(bitmap, count),
  };
}

/** Copies the winning values; rows that follow one another in their column too are copied as one piece. */
function gather(
  columns: readonly PlacedBytes[],
  winners: Int32Array,
  winnerRows: Uint32Array,
  total: number,
): Uint8Array {
  const bytes = new Uint8Array(total);
  let at = 0;
  for (let place = 0; place < winners.length; ) {
    const winner = winners[place]!;
    const first = place++;
    if (winner === nowhere) continue;
    while (winners[place] === winner && winnerRows[place] === winnerRows[place - 1]! + 1) place++;
    const { column } = columns[winner]!;
    const piece = column.bytes.subarray(
      startOf(column, winnerRows[first]!),
      column.ends[winnerRows[place - 1]!],
    );
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function startOf(column: GroupBytes, row: number): number {
  return row === 0 ? 0 : column.ends[row - 1]!;
}

function presenceOf(bitmap: Uint8Array, count: number): Presence {
  return countPresent(bitmap, count) === count ? undefined : bitmap;
}
