import type { Budget } from './budget.ts';
import type { SeriesSink } from './found-series.ts';
import type { TakeSeries } from './gather-series.ts';
import type { Expression, Shifted, VectorSelector } from './syntax.ts';
import type { Grid, Value } from './values.ts';
import { GridWindows, lastSamples } from './windows.ts';

/** Where expressions are evaluated. */
export interface Context {
  readonly budget: Budget;
  /** The times between which the whole query is evaluated, in ms. */
  readonly start: number;
  readonly end: number;
  /** Of subqueries that say none, in ms. */
  readonly subqueryStep: number;
  /** Gives the last sample of each series of a selector at each time to `found`; with `wantsTimes` its time in seconds. */
  lastSamples(selector: VectorSelector, grid: Grid, wantsTimes: boolean, found: SeriesSink): Promise<void>;
  /** Gives all samples of the series of a selector, one series after the other, in no order. */
  eachSeries(selector: VectorSelector, take: TakeSeries): Promise<void>;
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
  eachSeries: Context['eachSeries'],
  lookback: number,
  given: Pick<Context, 'budget' | 'start' | 'end' | 'subqueryStep'>,
): Context {
  const { budget } = given;
  return {
    ...given,
    eachSeries,
    async lastSamples(selector, grid, wantsTimes, found) {
      const windows = new GridWindows(grid, lookback, lookFrom(selector, given));
      await eachSeries(selector, (samples) => {
        const series = found.begin(samples.labels);
        lastSamples(samples, windows, wantsTimes, series);
        found.end(series, samples.labels);
        return budget.work(grid.count + samples.values.length);
      });
    },
  };
}
