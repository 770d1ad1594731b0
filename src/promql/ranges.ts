import { type CallContext, lookFrom } from './context.ts';
import type { TakeSeries } from './gather-series.ts';
import { type Expression, unwrapped } from './syntax.ts';
import { type Grid, type Samples, type Series, timeAt } from './values.ts';
import { GridWindows } from './windows.ts';

/** A range vector on the grid of the expression around it. */
export interface Ranged {
  readonly windows: GridWindows;
  /** Gives its series, one after the other. */
  readonly each: (take: TakeSeries) => Promise<void>;
}

export function rangeOf(arg: Expression, grid: Grid, context: CallContext): Ranged {
  const ranged = unwrapped(arg);
  if (ranged.type === 'matrix') {
    const { selector, range } = ranged;
    const windows = new GridWindows(grid, range, lookFrom(selector, context));
    return { windows, each: (take) => context.eachSeries(selector, take) };
  }
  if (ranged.type !== 'subquery') throw new Error(`a ${ranged.type} has no range`);
  const { of, range, step = context.subqueryStep } = ranged;
  const windows = new GridWindows(grid, range, lookFrom(ranged, context));
  return {
    windows,
    async each(take) {
      const inner = subqueryGrid(windows.ends[0]! - range, windows.ends.at(-1)!, step);
      // A grid that is too large is refused before it is there.
      context.budget.take(8 * inner.count);
      const value = await context.evaluate(of, inner, context);
      if (value.type !== 'vector') return;
      for (const series of value.series) {
        const taking = take(samplesOf(series, inner));
        if (taking !== undefined) await taking;
      }
    },
  };
}

/** The times of a subquery: multiples of its step. */
export function subqueryGrid(from: number, to: number, step: number): Grid {
  const start = Math.ceil(from / step) * step;
  return { start, step, count: Math.max(0, Math.floor((to - start) / step) + 1) };
}

function samplesOf({ labels, values, present }: Series, grid: Grid): Samples {
  let count = 0;
  for (const one of present) count += one;
  const own = { times: new Float64Array(count), values: new Float64Array(count) };
  let at = 0;
  for (let i = 0; i < values.length; i++) {
    if (present[i] === 0) continue;
    own.times[at] = timeAt(grid, i);
    own.values[at++] = values[i]!;
  }
  return { labels, ...own, ends: new Float64Array(0) };
}
