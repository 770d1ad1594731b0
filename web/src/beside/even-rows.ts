import { gapsOf, usualSpacing } from '../lines/gaps.ts';

/** Evenly spaced values of the longest stretch of rows that has no gap. */
export interface EvenRows {
  readonly values: Float64Array;
  /** Values per second. */
  readonly rate: number;
  /** How many rows the stretch has, and how long it is, seconds. */
  readonly rows: number;
  readonly seconds: number;
  /** Whether values are rows; else they are on straight lines between them. */
  readonly isEven: boolean;
}

/** Fewer rows have no frequencies. */
const leastRows = 8;
/** Rows may be off by such a share of their spacing: clocks are not exact. */
const tolerance = 0.01;

/** `times` are seconds in order, none twice. Undefined where there are too few rows without a gap. */
export function evenRows(times: Float64Array, values: Float64Array): EvenRows | undefined {
  const [begin, end] = longestStretch(times);
  const rows = end - begin;
  if (rows < leastRows) return undefined;
  const own = times.subarray(begin, end);
  const column = values.subarray(begin, end);
  const seconds = own[rows - 1]! - own[0]!;
  const spacing = seconds / (rows - 1);
  const isEven = own.every((time, i) => Math.abs(time - own[0]! - i * spacing) <= tolerance * spacing);
  if (isEven) return { values: column, rate: 1 / spacing, rows, seconds, isEven };
  // The closer of the two: where rows are dense nothing of them is lost.
  const step = Math.min(spacing, usualSpacing(own));
  const count = Math.floor(seconds / step) + 1;
  return { values: between(own, column, step, count), rate: 1 / step, rows, seconds, isEven };
}

/** First row, and the one behind the last. */
function longestStretch(times: Float64Array): [number, number] {
  const gaps = gapsOf(times);
  let found: [number, number] = [0, 0];
  let longest = -1;
  let begin = 0;
  for (let i = 1; i <= times.length; i++) {
    if (i < times.length && gaps[i] === 0) continue;
    const length = times[i - 1]! - times[begin]!;
    if (length > longest) {
      longest = length;
      found = [begin, i];
    }
    begin = i;
  }
  return found;
}

/** Values on the straight lines between rows, `step` seconds apart, from the first row on. */
function between(times: Float64Array, values: Float64Array, step: number, count: number): Float64Array {
  const found = new Float64Array(count);
  let next = 1;
  for (let i = 0; i < count; i++) {
    const at = times[0]! + i * step;
    while (next < times.length - 1 && times[next]! < at) next++;
    const share = (at - times[next - 1]!) / (times[next]! - times[next - 1]!);
    found[i] = values[next - 1]! + Math.min(1, share) * (values[next]! - values[next - 1]!);
  }
  return found;
}
