import { isInfinite } from './sums.ts';
import type { AggregateOperator } from './syntax.ts';
import type { Series } from './values.ts';

/** What the series of a group have become so far, by step. */
export interface Folded {
  /** So many series had a value. */
  readonly counts: Int32Array;
  readonly values: Float64Array;
  /** Sums of the squares of distances from the mean; of variances alone. */
  readonly squares: Float64Array | undefined;
}

/** One aggregation: series by series, each as a whole. */
export interface Fold {
  readonly hasSquares?: true;
  readonly add: (folded: Folded, series: Series) => void;
  /** Makes results of what was found; without it they are that. */
  readonly end?: (folded: Folded, step: number) => number;
}

export type FoldedOperator = Exclude<AggregateOperator, 'topk' | 'bottomk' | 'count_values' | 'quantile'>;

function count({ counts }: Folded, { present }: Series): void {
  for (let i = 0; i < present.length; i++) counts[i]! += present[i]!;
}

function sum({ counts, values }: Folded, series: Series): void {
  const { present } = series;
  for (let i = 0; i < present.length; i++) {
    if (present[i] === 0) continue;
    values[i]! += series.values[i]!;
    counts[i]!++;
  }
}

function extreme(sign: 1 | -1): Fold {
  return {
    add({ counts, values }, series) {
      const { present } = series;
      for (let i = 0; i < present.length; i++) {
        if (present[i] === 0) continue;
        const value = series.values[i]!;
        const found = values[i]!;
        if (counts[i] === 0 || sign * value > sign * found || Number.isNaN(found)) values[i] = value;
        counts[i]!++;
      }
    },
  };
}

function mean({ counts, values }: Folded, series: Series): void {
  const { present } = series;
  for (let i = 0; i < present.length; i++) {
    if (present[i] === 0) continue;
    const value = series.values[i]!;
    const found = values[i]!;
    const all = ++counts[i]!;
    if (all === 1) values[i] = value;
    else if (!isInfinite(found) || (value !== found && !Number.isFinite(value)))
      values[i] = found + (value / all - found / all);
  }
}

/** Of a single value it is 0, whatever the value is. */
function variance({ counts, values, squares }: Folded, series: Series): void {
  const { present } = series;
  for (let i = 0; i < present.length; i++) {
    if (present[i] === 0) continue;
    const value = series.values[i]!;
    const all = ++counts[i]!;
    if (all === 1) {
      values[i] = value;
      continue;
    }
    const delta = value - values[i]!;
    values[i]! += delta / all;
    squares![i]! += delta * (value - values[i]!);
  }
}

const varianceAt = ({ squares, counts }: Folded, step: number): number => squares![step]! / counts[step]!;

export const folds: Readonly<Record<FoldedOperator, Fold>> = {
  sum: { add: sum },
  avg: { add: mean },
  count: { add: count, end: ({ counts }, step) => counts[step]! },
  min: extreme(-1),
  max: extreme(1),
  group: { add: count, end: () => 1 },
  stddev: { hasSquares: true, add: variance, end: (folded, step) => Math.sqrt(varianceAt(folded, step)) },
  stdvar: { hasSquares: true, add: variance, end: varianceAt },
};
