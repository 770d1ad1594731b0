import type { Labels } from './labels.ts';
import { cannotEvaluate } from './query-error.ts';

/** The times at which something is evaluated: `start + i * step` milliseconds. */
export interface Grid {
  readonly start: number;
  readonly step: number;
  readonly count: number;
}

/** A series of an instant vector at each time of a grid. */
export interface Series {
  readonly labels: Labels;
  readonly values: Float64Array;
  /** 1 where there is a value; NaN is a value. */
  readonly present: Uint8Array;
}

/** Samples of a series, in order of time. */
export interface Samples {
  readonly labels: Labels;
  /** Milliseconds, with a fraction where rows have one. */
  readonly times: Float64Array;
  readonly values: Float64Array;
  /** When it was said to have ended, in order. */
  readonly ends: Float64Array;
}

export type Value =
  | { readonly type: 'scalar'; readonly values: Float64Array }
  | { readonly type: 'vector'; readonly series: readonly Series[] }
  | { readonly type: 'string'; readonly text: string };

/** What is made for a series besides its values, about. */
const seriesBytes = 400;

/** Memory of so many series on a grid. */
export function bytesOf(series: number, { count }: Grid): number {
  return series * (seriesBytes + 9 * count);
}

export function emptySeries(labels: Labels, count: number): Series {
  return { labels, values: new Float64Array(count), present: new Uint8Array(count) };
}

export function timeAt(grid: Grid, i: number): number {
  return grid.start + i * grid.step;
}

export const sameLabels = 'vector cannot contain metrics with the same labelset';

/**
 * Series that have the same labels become one, as long as they have no values at the same time: then it throws. Those that never
 * have a value are left out.
 */
export function merged(all: readonly Series[]): Series[] {
  const found = new Map<string, Series>();
  for (const series of all) {
    if (!series.present.includes(1)) continue;
    const { key } = series.labels;
    const known = found.get(key);
    if (known === undefined) found.set(key, series);
    else found.set(key, together(known, series));
  }
  return [...found.values()];
}

function together(one: Series, other: Series): Series {
  const values = one.values.slice();
  const present = one.present.slice();
  for (let i = 0; i < values.length; i++) {
    if (other.present[i] === 0) continue;
    if (present[i] === 1) throw cannotEvaluate(sameLabels);
    present[i] = 1;
    values[i] = other.values[i]!;
  }
  return { labels: one.labels, values, present };
}

/** Repeats the value of one time at each time of a grid. */
export function repeated(value: Value, count: number): Value {
  switch (value.type) {
    case 'string':
      return value;
    case 'scalar':
      return { type: 'scalar', values: new Float64Array(count).fill(value.values[0]!) };
    case 'vector': {
      const series = value.series.map(({ labels, values, present }) => ({
        labels,
        values: new Float64Array(count).fill(values[0]!),
        present: new Uint8Array(count).fill(present[0]!),
      }));
      return { type: 'vector', series };
    }
  }
}
