import type { Budget } from './budget.ts';
import type { Expression, Shifted, VectorSelector } from './syntax.ts';
import type { Grid, Samples, Series, Value } from './values.ts';
import { lastSamples } from './windows.ts';

/** Where expressions are evaluated. */
export interface Context {
  readonly budget: Budget;
  /** The times between which the whole query is evaluated, in ms. */
  readonly start: number;
  readonly end: number;
  /** Of subqueries that say none, in ms. */
  readonly subqueryStep: number;
  /** The last sample of each series of a selector at each time; with `wantsTimes` its time in seconds. */
  lastSamples(selector: VectorSelector, grid: Grid, wantsTimes: boolean): Promise<Series[]>;
  /** All samples of the series of a selector, which were read for the query. */
  samples(selector: VectorSelector): Promise<readonly Samples[]>;
}

/** The same for functions, which evaluate their arguments. */
export interface CallContext extends Context {
  readonly evaluate: (expression: Expression, grid: Grid, context: Context) => Promise<Value>;
}

/** Returns a function from the time of an evaluation (ms) to the time that something shifted looks at. */
export function lookFrom(
  { at, offset }: Shifted,
  { start, end }: Pick<Context, 'start' | 'end'>,
): (time: number) => number {
  if (at === undefined) return (time) => time - offset;
  const fixed = (at === 'start' ? start : at === 'end' ? end : at) - offset;
  return () => fixed;
}

export function createContext(
  samples: Context['samples'],
  lookback: number,
  given: Pick<Context, 'budget' | 'start' | 'end' | 'subqueryStep'>,
): Context {
  const { budget } = given;
  return {
    ...given,
    samples,
    async lastSamples(selector, grid, wantsTimes) {
      const found: Series[] = [];
      const endOf = lookFrom(selector, given);
      for (const series of await samples(selector)) {
        budget.take(9 * grid.count);
        const last = lastSamples(series, grid, endOf, lookback, wantsTimes);
        if (last.present.includes(1)) found.push(last);
        const turn = budget.work(grid.count + series.times.length);
        if (turn !== undefined) await turn;
      }
      return found;
    },
  };
}
