import type { RowsAlong } from './stream-state.ts';

/** Of each row the smallest value from it on up to the latest turn. Used again by each call; nothing of it outlives one. */
let least = new Float64Array(1024);

/**
 * Writes the smallest value (`sign` 1) or the largest one (-1) of the windows (t - width, t] of the rows [first, to), all of
 * which lie within the rows from `from` on; no value is NaN. A row whose window begins behind the latest turn is a turn: the
 * extremes of the ends of its window are found backwards. Up to the next turn, that of a window is one of two values: the one from its
 * begin to the turn, and the one since. This leaves a processor little to guess, and takes half the time that a queue takes.
 */
export function windowExtremes(
  { from, to, times, values }: RowsAlong,
  first: number,
  width: number,
  sign: 1 | -1,
  out: Float64Array,
): void {
  if (least.length < to - from) least = new Float64Array(2 ** Math.ceil(Math.log2(to - from)));
  const ofTurn = least;
  let begin = from;
  for (let row = first; row < to; ) {
    const turn = row;
    while (times[begin]! <= times[turn]! - width) begin++;
    let smallest = sign * values[turn]!;
    ofTurn[turn - from] = smallest;
    // Of two equal ones, as 0 and -0, the later one, as in the queue.
    for (let i = turn - 1; i >= begin; i--) {
      const value = sign * values[i]!;
      if (value < smallest) smallest = value;
      ofTurn[i - from] = smallest;
    }
    out[turn] = sign * smallest;
    let since = Number.POSITIVE_INFINITY;
    for (row++; row < to; row++) {
      const before = times[row]! - width;
      while (times[begin]! <= before) begin++;
      if (begin > turn) break;
      const value = sign * values[row]!;
      if (value <= since) since = value;
      const untilTurn = ofTurn[begin - from]!;
      out[row] = sign * (untilTurn < since ? untilTurn : since);
    }
  }
}
