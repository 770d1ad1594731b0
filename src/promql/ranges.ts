import { type CallContext, lookFrom } from './context.ts';
import { type Expression, unwrapped } from './syntax.ts';
import { type Grid, type Samples, type Series, timeAt } from './values.ts';

/** Series with the samples in which a function has its windows. */
export interface Ranged {
  readonly samples: readonly Samples[];
  readonly range: number;
  readonly endOf: (time: number) => number;
}

/** The samples of a range vector, whose grid is that of the expression around it. */
export async function rangeOf(arg: Expression, grid: Grid, context: CallContext): Promise<Ranged> {
  const ranged = unwrapped(arg);
  if (ranged.type === 'matrix') {
    const { selector, range } = ranged;
    return { samples: await context.samples(selector), range, endOf: lookFrom(selector, context) };
  }
  if (ranged.type !== 'subquery') throw new Error(`a ${ranged.type} has no range`);
  const { of, range, step = context.subqueryStep } = ranged;
  const endOf = lookFrom(ranged, context);
  const inner = subqueryGrid(endOf(timeAt(grid, 0)) - range, endOf(timeAt(grid, grid.count - 1)), step);
  // A grid that is too large is refused before it is there.
  context.budget.take(8 * inner.count);
  const value = await context.evaluate(of, inner, context);
  const all = value.type === 'vector' ? value.series : [];
  return { samples: all.map((series) => samplesOf(series, inner)), range, endOf };
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
