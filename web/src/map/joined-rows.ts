import { widestSpacing } from '../lines/gaps.ts';

/** The values of a channel, in order of time. */
export interface Column {
  /** In any unit, since any time that is the same for all channels. */
  readonly times: ArrayLike<number>;
  readonly values: ArrayLike<number>;
  /** Numbers of the rows that they stand in; absent where a time has one row at most. */
  readonly rows?: ArrayLike<number>;
  /** So many at the begin are from before what is drawn: they hold there, and are no points. */
  readonly before?: number;
}

/** Points of one channel over another. */
export interface JoinedRows {
  /** Which channel's rows the points are: 0 for x, 1 for y. */
  readonly points: 0 | 1;
  readonly times: readonly number[];
  readonly x: readonly number[];
  readonly y: readonly number[];
  /** NaN where a point has none. */
  readonly shade: readonly number[];
  /** How many points have a value of x, of y, and of the colour, that was written before them. */
  readonly held: readonly [x: number, y: number, shade: number];
  /** How many rows of x, and of y, have no value of the other. */
  readonly alone: readonly [x: number, y: number];
  /** How many points have no value of the colour. */
  readonly uncoloured: number;
}

/**
 * Joins channels that may have rows of their own. The points are the rows of the one beside which the last value of the
 * other is younger on average: as a rule of the one that is written more seldom; or else of the one that leaves out fewer. Rows that
 * have both are points as they are.
 */
export function joinRows(x: Column, y: Column, shade?: Column): JoinedRows {
  const both = [heldAt(x, y), heldAt(y, x)] as const;
  const alone = [without(x, both[0]), without(y, both[1])] as const;
  const difference = meanAge(y, x, both[1]) - meanAge(x, y, both[0]);
  const points = difference < 0 || (!(difference > 0) && alone[1] < alone[0]) ? 1 : 0;
  const [own, other, others] = points === 0 ? [x, y, both[0]] : [y, x, both[1]];
  const shades = shade && heldAt(own, shade);
  const joined = { times: [] as number[], x: [] as number[], y: [] as number[], shade: [] as number[] };
  const held: [number, number, number] = [0, 0, 0];
  let uncoloured = 0;
  for (let i = own.before ?? 0; i < own.times.length; i++) {
    const [time, at, atShade] = [own.times[i]!, others[i]!, shades?.[i] ?? -1];
    const pair = [own.values[i]!, other.values[at] ?? Number.NaN] as const;
    if (!pair.every(Number.isFinite)) continue;
    joined.times.push(time);
    joined.x.push(pair[points]);
    joined.y.push(pair[1 - points]!);
    joined.shade.push(shade?.values[atShade] ?? Number.NaN);
    if (other.times[at] !== time) held[1 - points]!++;
    if (atShade < 0) uncoloured++;
    else if (shade!.times[atShade] !== time) held[2]++;
  }
  return { points, ...joined, held, alone, uncoloured };
}

/**
 * Of each value of a channel, which one of another holds there: that of its row, or else the last one at or before it. −1
 * where there is none, or where a gap of the other one would lie between them.
 */
export function heldAt(own: Column, other: Column): Int32Array {
  const usual = widestSpacing(other.times);
  // Of a single value nobody knows how long it holds.
  const widest = Number.isFinite(usual) ? usual : 0;
  const found = new Int32Array(own.times.length).fill(-1);
  const { times } = other;
  let last = -1;
  for (let i = own.before ?? 0; i < found.length; i++) {
    const time = own.times[i]!;
    while (last + 1 < times.length && times[last + 1]! <= time) last++;
    if (last < 0 || time - times[last]! > widest) continue;
    let same = last;
    while (same >= 0 && times[same] === time && other.rows?.[same] !== own.rows?.[i]) same--;
    found[i] = same >= 0 && times[same] === time ? same : last;
  }
  return found;
}

/** Infinite where no value of the other one holds. */
function meanAge(own: Column, other: Column, held: Int32Array): number {
  let [age, count] = [0, 0];
  for (const [i, at] of held.entries()) {
    if (at < 0) continue;
    age += own.times[i]! - other.times[at]!;
    count++;
  }
  return count === 0 ? Number.POSITIVE_INFINITY : age / count;
}

function without({ before = 0 }: Column, held: Int32Array): number {
  let count = 0;
  for (let i = before; i < held.length; i++) if (held[i]! < 0) count++;
  return count;
}
