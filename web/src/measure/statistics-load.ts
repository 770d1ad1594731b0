import { type Client, RequestError, type RequestedParameter } from '../../../src/client/client.ts';
import type { RowsWish } from '../lines/rows-wish.ts';
import { problemText } from '../ui/problem-text.ts';
import { type Extremes, type ExtremeTimes, loadExtremeTimes } from './extremes-load.ts';
import { loadSlope } from './slope-load.ts';

/** What the service says of the rows of one channel; undefined where there is no such number. */
export interface Statistics<Of extends RowsWish = RowsWish> extends Extremes, ExtremeTimes {
  /** Whose rows, and from when to when. */
  readonly of: Of;
  readonly mean: number | undefined;
  readonly deviation: number | undefined;
  readonly p95: number | undefined;
  /** Why the service did not tell `p95`. */
  readonly p95Refusal: string | undefined;
  readonly count: number;
  /** Of the straight line that fits best, per second. */
  readonly slope: number | undefined;
}

/** The service aggregates all rows of a wish, each channel for itself. */
export async function loadStatistics<Of extends RowsWish>(
  service: Client,
  of: Of,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Statistics<Of>[]> {
  const ask = (numericParameters: readonly RequestedParameter[]) =>
    service.query({ ...of.rows, ...of.range, numericParameters }, { signal });
  const plain = names.flatMap((parameterName) =>
    (['Min', 'Max', 'Mean', 'StdDev', 'Count'] as const).map((aggregationType) => ({
      parameterName,
      aggregationType,
    })),
  );
  const [some, percentiles] = await Promise.all([
    ask(plain),
    ask(names.map((parameterName) => ({ parameterName, aggregationType: 'P95' as const }))).catch(
      toldRefusal,
    ),
  ]);
  const numberOf = (parameter: string) => (aggregation: string) =>
    some.numericValues[`${aggregation}(${parameter})`]?.[0] ?? undefined;
  const extremes = names.map((parameter): Extremes => {
    const number = numberOf(parameter);
    return { parameter, least: number('min'), largest: number('max') };
  });
  const times = loadExtremeTimes(service, of, extremes, signal);
  const loads = extremes.map(async (own, i) => {
    const { parameter } = own;
    const number = numberOf(parameter);
    const count = number('count') ?? 0;
    const [slope, place] = await Promise.all([loadSlope(service, of, parameter, count, signal), times]);
    return {
      of,
      ...own,
      ...place[i]!,
      mean: number('mean'),
      deviation: number('stddev'),
      ...(typeof percentiles === 'string'
        ? { p95: undefined, p95Refusal: percentiles }
        : {
            p95: percentiles.numericValues[`p95(${parameter})`]?.[0] ?? undefined,
            p95Refusal: undefined,
          }),
      count,
      slope,
    };
  });
  return Promise.all(loads);
}

/** Percentiles keep every value, so of very many rows the service refuses them: then the others are told without. */
function toldRefusal(error: unknown): string {
  if (error instanceof RequestError && error.status < 500) return problemText(error);
  throw error;
}
