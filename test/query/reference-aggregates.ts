import { nearest, nearestRoot, units } from './reference-exact.ts';

/** A value of an expected answer; null is a gap. */
export interface Cell {
  readonly value: number | string | null;
  /** How far a computed number may be off; 0 admits either zero. Undefined: equal bit for bit. */
  readonly slack?: number;
}

export const gap: Cell = { value: null };

/**
 * The values of one parameter in one group, in the order of rows, as one value (contract, sections 4 and 9).
 *
 * Decided here: a parameter without a value in the group gives null, also for Count. Where NaN is all there is,
 * all but Count, First and Last give null. Infinities follow IEEE arithmetic: their sum may be NaN.
 *
 * Tolerances: Sum 1e-14 of the sum of magnitudes and Mean the n-th part of that; StdDev 1e-12 of itself and 1e-14
 * of the root mean square; Median and P… 1e-12 of the larger neighbour between two ranks, 1e-15 at one; others none.
 */
export function aggregate(aggregation: string, values: readonly (number | string)[]): Cell {
  if (values.length === 0) return gap;
  if (aggregation === 'Count') return { value: values.length };
  if (aggregation === 'First') return { value: values[0]! };
  if (aggregation === 'Last') return { value: values.at(-1)! };
  const numbers = values.filter((value) => typeof value === 'number' && !Number.isNaN(value)) as number[];
  if (numbers.length === 0) return gap;
  const ordered = [...numbers].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const least = ordered[0]!;
  const greatest = ordered.at(-1)!;
  switch (aggregation) {
    case 'Min':
      return { value: least, slack: 0 };
    case 'Max':
      return { value: greatest, slack: 0 };
    case 'Spread':
      return { value: greatest - least, slack: 0 };
    case 'Mode':
      return { value: mode(ordered), slack: 0 };
    case 'Sum':
      return mean(numbers, 1);
    case 'Mean':
      return mean(numbers, numbers.length);
    case 'StdDev':
      return deviation(numbers);
    case 'Median':
      return percentile(ordered, 50);
    default:
      return percentile(ordered, Number(/^P(\d+)$/.exec(aggregation)![1]));
  }
}

function mean(numbers: readonly number[], divisor: number): Cell {
  if (!numbers.every(Number.isFinite))
    return { value: numbers.reduce((sum, value) => sum + value), slack: 0 };
  const sum = numbers.reduce((total, value) => total + units(value), 0n);
  const magnitudes = numbers.reduce((total, value) => total + Math.abs(value), 0);
  return { value: nearest(sum, BigInt(divisor)), slack: (1e-14 * magnitudes) / divisor };
}

/** Of a sample: (n Σx² - (Σx)²) / n(n - 1), under the root. */
function deviation(numbers: readonly number[]): Cell {
  if (numbers.length === 1) return gap;
  if (!numbers.every(Number.isFinite)) return { value: Number.NaN };
  const n = BigInt(numbers.length);
  const exact = numbers.map(units);
  const sum = exact.reduce((total, value) => total + value, 0n);
  const squares = exact.reduce((total, value) => total + value * value, 0n);
  const value = nearestRoot(n * squares - sum * sum, n * (n - 1n));
  return { value, slack: 1e-12 * value + 1e-14 * nearestRoot(squares, n) };
}

/** The smallest of the most frequent. */
function mode(ordered: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of ordered) counts.set(value, (counts.get(value) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return ordered.find((value) => counts.get(value) === most)!;
}

/** Linear between the closest ranks, the first of which is 0 and the last n - 1. */
function percentile(ordered: readonly number[], percent: number): Cell {
  const hundredths = percent * (ordered.length - 1);
  const rank = Math.floor(hundredths / 100);
  const part = hundredths % 100;
  const low = ordered[rank]!;
  if (part === 0) return { value: low, slack: relative(low, low) };
  const high = ordered[rank + 1]!;
  return { value: between(low, high, BigInt(part), 100n), slack: 1000 * relative(low, high) };
}

/** The value `part / whole` of the way from one to another: their weighted mean. */
export function between(from: number, to: number, part: bigint, whole: bigint): number {
  if (from === to) return from;
  if (Number.isFinite(from) && Number.isFinite(to)) {
    return nearest(units(from) * (whole - part) + units(to) * part, whole);
  }
  const weight = Number(part) / Number(whole);
  return from * (1 - weight) + to * weight;
}

/** 1e-15 of the larger of two values. */
export function relative(a: number, b: number): number {
  const size = 1e-15 * Math.max(Math.abs(a), Math.abs(b));
  return Number.isFinite(size) ? size : 0;
}
