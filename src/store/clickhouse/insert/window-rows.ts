import { pickValues, type SeriesValues } from './series-values.ts';

/** A series as rows of the table `windows` (server/migrations/005-windows.ts). */
export interface WindowRows {
  /** Its values stand piece after piece. */
  readonly series: SeriesValues;
  readonly level: number;
  /** In the order of time. */
  readonly rows: readonly WindowRow[];
  /** Those of the first row, of the second, and so on. */
  readonly pieces: readonly Piece[];
}

/** Times are pairs of words, the low one first; unsigned. */
type Time = readonly [low: number, high: number];

export interface WindowRow {
  /** When it begins. */
  readonly window: Time;
  readonly first: Time;
  readonly last: Time;
  /** How many values and pieces it has. */
  readonly count: number;
  readonly pieces: number;
}

/** Values of one tag set in a row. */
export interface Piece {
  /** An index into the series' keys of tags. */
  readonly tags: number;
  readonly first: Time;
  readonly last: Time;
  readonly count: number;
}

/** @param series its times rise, and no identity stands in it twice */
export function windowRows(series: SeriesValues, level: number): WindowRows {
  const { times, count, tags } = series;
  const rows: WindowRow[] = [];
  const pieces: Piece[] = [];
  let order: Uint32Array | undefined;
  for (let from = 0; from < count; ) {
    const to = endOfWindow(times, count, from, level);
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
      window: windowOf(times, from, level),
      first: timeAt(times, from),
      last: timeAt(times, to - 1),
      count: to - from,
      pieces: pieces.length - before,
    });
    from = to;
  }
  return { series: order === undefined ? series : pickValues(series, order, false), level, rows, pieces };
}

function timeAt(times: Uint32Array, row: number): Time {
  return [times[2 * row]!, times[2 * row + 1]!];
}

/** When the window with a time begins: the time without its lowest bits, below zero too. */
function windowOf(times: Uint32Array, row: number, level: number): Time {
  const [low, high] = timeAt(times, row);
  return level < 32 ? [(low & (-1 << level)) >>> 0, high] : [0, (high & (-1 << (level - 32))) >>> 0];
}

/** The first row that is in another window than the row `from`. */
function endOfWindow(times: Uint32Array, count: number, from: number, level: number): number {
  const [low, high] = windowOf(times, from, level);
  const isInside = (row: number): boolean => {
    const [itsLow, itsHigh] = windowOf(times, row, level);
    return itsLow === low && itsHigh === high;
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
