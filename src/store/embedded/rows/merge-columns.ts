import { isPresent, type Presence } from '../../../domain/parameter-data.ts';
import { countPresent, setPresent } from '../../../domain/presence.ts';
import type { GroupBytes, GroupColumn, GroupNumbers, RowGroup } from './row-group.ts';

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

function mergeBytes(columns: readonly PlacedBytes[], count: number): GroupBytes {
  const winners = byteWinners(count);
  const bitmap = new Uint8Array(Math.ceil(count / 8));
  for (const { column, placement } of columns) {
    const { at, rows, group } = placement;
    winners.sources.push(column);
    for (let row = 0; row < group.count; row++) {
      if (!isPresent(column.present, row)) continue;
      const place = rows === undefined ? at + row : rows[row]!;
      winners.sourceOf[place] = winners.sources.length - 1;
      winners.rowOf[place] = row;
      bitmap[place >> 3]! |= 1 << (place & 7);
    }
  }
  const { parameter, kind } = columns[0]!.column;
  return { parameter, kind, ...gatherWinners(winners), present: presenceOf(bitmap, count) };
}

/** For each place of a merged column of bytes the value that won it. */
export interface ByteWinners {
  readonly sources: GroupBytes[];
  /** Index into `sources`, or `nowhere`. */
  readonly sourceOf: Int32Array;
  /** The row in that source. */
  readonly rowOf: Uint32Array;
}

const nowhere = -1;

export function byteWinners(count: number): ByteWinners {
  return { sources: [], sourceOf: new Int32Array(count).fill(nowhere), rowOf: new Uint32Array(count) };
}

/** Copies the winning values; rows that follow one another in their source too are copied as one piece. */
export function gatherWinners({ sources, sourceOf, rowOf }: ByteWinners): Pick<GroupBytes, 'bytes' | 'ends'> {
  const count = sourceOf.length;
  const ends = new Uint32Array(count);
  let end = 0;
  for (let place = 0; place < count; place++) {
    const winner = sourceOf[place]!;
    if (winner !== nowhere) {
      const source = sources[winner]!;
      end += source.ends[rowOf[place]!]! - startOf(source, rowOf[place]!);
    }
    ends[place] = end;
  }
  const bytes = new Uint8Array(end);
  let at = 0;
  for (let place = 0; place < count; ) {
    const winner = sourceOf[place]!;
    const first = place++;
    if (winner === nowhere) continue;
    while (sourceOf[place] === winner && rowOf[place] === rowOf[place - 1]! + 1) place++;
    const source = sources[winner]!;
    const piece = source.bytes.subarray(startOf(source, rowOf[first]!), source.ends[rowOf[place - 1]!]);
    bytes.set(piece, at);
    at += piece.length;
  }
  return { bytes, ends };
}

function startOf(column: GroupBytes, row: number): number {
  return row === 0 ? 0 : column.ends[row - 1]!;
}

/** A bitmap of `count` rows, or what says that all have a value. */
export function presenceOf(bitmap: Uint8Array, count: number): Presence {
  return countPresent(bitmap, count) === count ? undefined : bitmap;
}
