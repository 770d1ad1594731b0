import type { Aggregation } from '../../domain/query.ts';
import type { QueryMemory } from '../bounds/query-memory.ts';
import type { ByteResults, NumberResults } from './accumulator.ts';
import { between, collectedValues } from './collected-values.ts';
import { counts } from './counts.ts';
import { maxima, minima, spread } from './extremes.ts';
import { moments } from './moments.ts';
import type { ParameterStates } from './parameter-states.ts';
import { bytePicks, type Edge, numberPicks } from './picks.ts';
import { sums } from './sums.ts';

/** A finished column of the answer; `bytes` where its values are strings, binaries or events. */
export type ColumnResults =
  | { readonly numbers: NumberResults; readonly bytes?: undefined }
  | { readonly bytes: ByteResults; readonly numbers?: undefined };

/** The states of one parameter, made when an aggregation first needs them, each once. */
export type StateMaker = <Name extends keyof ParameterStates>(
  name: Name,
  make: (memory: QueryMemory) => NonNullable<ParameterStates[Name]>,
) => NonNullable<ParameterStates[Name]>;

/**
 * What a database finds out about the values of one parameter in one group: the parts that aggregations are made of.
 * All are doubles but `first` and `last`, which are texts where the parameter's values are. NaN is skipped by all but
 * `count`, `first` and `last`. A percentile is its two closest ranks, between which we interpolate.
 */
export type Measure =
  | 'count'
  | 'numbers'
  | 'sum'
  | 'max'
  | 'min'
  | 'deviation'
  | 'mode'
  | 'first'
  | 'last'
  | `low${Percent}`
  | `high${Percent}`;

export type Percent = 50 | 90 | 95 | 99;

/** All that is to be known of an aggregation; its rules: contract, sections 4 and 9. */
export interface AggregationRecord {
  /** Where the service aggregates rows itself: the states that it needs, and the column that comes of them. */
  results(state: StateMaker, isNumeric: boolean): ColumnResults;
  /** Where a database aggregates: what it is asked for, and the value that comes of the answers. */
  readonly measures: readonly Measure[];
  /** A group with fewer numbers has no value. 0: it has one where its measure has one. */
  readonly minNumbers: 0 | 1 | 2;
  value(of: (measure: Measure) => number): number;
}

const onlyNumbers = (result: (state: StateMaker) => NumberResults): AggregationRecord['results'] => {
  return (state) => ({ numbers: result(state) });
};

const percentile = (percent: Percent): AggregationRecord => ({
  results: onlyNumbers((state) => state('kept', collectedValues).percentile(percent)),
  measures: ['numbers', `low${percent}`, `high${percent}`],
  minNumbers: 1,
  value(of) {
    const place = ((of('numbers') - 1) * percent) / 100;
    return between(of(`low${percent}`), of(`high${percent}`), place - Math.floor(place));
  },
});

const pick = (edge: Edge): AggregationRecord => ({
  results: (state, isNumeric) =>
    isNumeric
      ? { numbers: state(`${edge}Number`, (memory) => numberPicks(edge, memory)).result }
      : { bytes: state(`${edge}Bytes`, (memory) => bytePicks(edge, memory)).result },
  measures: [edge],
  minNumbers: 0,
  value: (of) => of(edge),
});

/**
 * A new aggregation has its name in domain/query.ts and its record here. Where it keeps what no other keeps, that is a
 * state: its record is in parameter-states.ts and, where it goes by frames, in stored-rows.ts and total-rows.ts. New
 * measures have their SQL in the ClickHouse store. The compiler asks for each of them.
 */
export const aggregationTable = {
  Count: {
    results: onlyNumbers((state) => state('counts', counts).result),
    measures: ['count'],
    minNumbers: 0,
    value: (of) => of('count'),
  },
  First: pick('first'),
  Last: pick('last'),
  Sum: {
    results: onlyNumbers((state) => state('sums', sums).sum),
    measures: ['numbers', 'sum'],
    minNumbers: 1,
    value: (of) => of('sum'),
  },
  Mean: {
    results: onlyNumbers((state) => state('sums', sums).mean),
    measures: ['numbers', 'sum', 'min', 'max'],
    minNumbers: 1,
    value(of) {
      const [least, greatest, sum] = [of('min'), of('max'), of('sum')];
      if (least === greatest) return least;
      const mean = sum / of('numbers');
      return Number.isFinite(sum) ? Math.min(greatest, Math.max(least, mean)) : mean;
    },
  },
  Max: {
    results: onlyNumbers((state) => state('maxima', maxima).result),
    measures: ['numbers', 'max'],
    minNumbers: 1,
    value: (of) => of('max'),
  },
  Min: {
    results: onlyNumbers((state) => state('minima', minima).result),
    measures: ['numbers', 'min'],
    minNumbers: 1,
    value: (of) => of('min'),
  },
  Spread: {
    results: onlyNumbers((state) => spread(state('maxima', maxima).result, state('minima', minima).result)),
    measures: ['numbers', 'max', 'min'],
    minNumbers: 1,
    value: (of) => of('max') - of('min'),
  },
  StdDev: {
    results: onlyNumbers((state) => state('moments', moments).deviation),
    measures: ['numbers', 'deviation', 'min', 'max'],
    minNumbers: 2,
    value: (of) => (of('min') === of('max') && Number.isFinite(of('max')) ? 0 : of('deviation')),
  },
  Mode: {
    results: onlyNumbers((state) => state('kept', collectedValues).mode),
    measures: ['numbers', 'mode'],
    minNumbers: 1,
    value: (of) => of('mode'),
  },
  Median: percentile(50),
  P50: percentile(50),
  P90: percentile(90),
  P95: percentile(95),
  P99: percentile(99),
} as const satisfies Record<Exclude<Aggregation, 'None'>, AggregationRecord>;

export function aggregationRecord(aggregation: Exclude<Aggregation, 'None'>): AggregationRecord {
  return aggregationTable[aggregation];
}
