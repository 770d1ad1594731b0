import { minTimestamp } from '../../../domain/timestamp.ts';
import { lengthsOfForm, windowLengths, windowStart } from '../server/window-lengths.ts';
import { type Words, wordsOf } from './native-block.ts';
import { pickValues, type SeriesValues } from './series-values.ts';

/** A series as rows of the table `windows` (server/migrations/007-windows.ts). */
export interface WindowRows {
  /** Its values stand piece after piece. */
  readonly series: SeriesValues;
  readonly level: number;
  /** In the order of time. */
  readonly rows: readonly WindowRow[];
  /** Those of the first row, of the second, and so on. */
  readonly pieces: readonly Piece[];
}

export interface WindowRow {
  /** When it begins. */
  readonly window: Words;
  readonly first: Words;
  readonly last: Words;
  /** How many values and pieces it has. */
  readonly count: number;
  readonly pieces: number;
}

/** Values of one tag set in a row. */
export interface Piece {
  /** An index into the series' keys of tags. */
  readonly tags: number;
  readonly first: Words;
  readonly last: Words;
  readonly count: number;
}

/** @param series its times rise, and no identity stands in it twice */
export function windowRows(series: SeriesValues, level: number): WindowRows {
  const { times, count, tags } = series;
  const rows: WindowRow[] = [];
  const pieces: Piece[] = [];
  let order: Uint32Array | undefined;
  for (let from = 0; from < count; ) {
    const { window, end } = windowAt(timeAt(times, from), level);
    const to = endOfWindow(times, count, from, end);
    const before = pieces.length;
    const { indexes } = tags;
    if (indexes === undefined || isOneSet(indexes, from, to)) {
      pieces.push({
        tags: indexes === undefined ? 0 : indexes[from]!,
        first: timeAt(times, from),
        last: timeAt(times, to - 1),
        count: to - from,
      });
    } else {
      order ??= Uint32Array.from({ length: count }, (_, row) => row);
      let at = from;
      for (const [set, rowsOfSet] of byTags(indexes, from, to)) {
        pieces.push({
          tags: set,
          first: timeAt(times, rowsOfSet[0]!),
          last: timeAt(times, rowsOfSet.at(-1)!),
          count: rowsOfSet.length,
        });
        for (const row of rowsOfSet) order[at++] = row;
      }
    }
    rows.push({
      window,
      first: timeAt(times, from),
      last: timeAt(times, to - 1),
      count: to - from,
      pieces: pieces.length - before,
    });
    from = to;
  }
  return { series: order === undefined ? series : pickValues(series, order, false), level, rows, pieces };
}

function timeAt(times: Uint32Array, row: number): Words {
  return [times[2 * row]!, times[2 * row + 1]!];
}

/** The window with a time: when it begins, but not before all times, and the first time behind it. */
function windowAt([low, high]: Words, level: number): { readonly window: Words; readonly end: bigint } {
  const begin = windowStart(bigOf(low, high), level);
  const end = begin + windowLengths[level % lengthsOfForm]!;
  return { window: wordsOf(begin < minTimestamp ? minTimestamp : begin), end };
}

function bigOf(low: number, high: number): bigint {
  return (BigInt(high | 0) << 32n) | BigInt(low);
}

/** The first row behind `from` that is not before `end`. */
function endOfWindow(times: Uint32Array, count: number, from: number, end: bigint): number {
  const high = Number(end >> 32n);
  const low = Number(end & 0xffffffffn);
  const isInside = (row: number): boolean => {
    const itsHigh = times[2 * row + 1]! | 0;
    return itsHigh < high || (itsHigh === high && times[2 * row]! < low);
  };
  let inside = from;
  let outside = count;
  // Steps that double find the end of short windows and of long ones alike.
  for (let step = 1; inside + step < outside; step *= 2) {
    if (isInside(inside + step)) inside += step;
    else outside = inside + step;
  }
  while (inside + 1 < outside) {
    const middle = (inside + outside) >> 1;
    if (isInside(middle)) inside = middle;
    else outside = middle;
  }
  return outside;
}

function isOneSet(tags: Uint32Array, from: number, to: number): boolean {
  for (let row = from + 1; row < to; row++) if (tags[row] !== tags[from]) return false;
  return true;
}

/** The rows of each tag set, in the order of time. */
function byTags(tags: Uint32Array, from: number, to: number): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  for (let row = from; row < to; row++) {
    const rows = found.get(tags[row]!);
    if (rows === undefined) found.set(tags[row]!, [row]);
    else rows.push(row);
  }
  return found;
}
