import type { Kind, ParameterKey } from '../domain/parameter-data.ts';
import type { Aggregation, Direction, ParameterDataQuery, TagFilter, TimeBuckets } from '../domain/query.ts';
import { maxTimestamp, minTimestamp } from '../domain/timestamp.ts';
import { PitwallError } from '../errors.ts';
import { decodeCursor, type Position } from './cursor.ts';

/** Which rows a plan is about. */
export interface Selection {
  readonly workspace: string;
  /** Exact ids, or undefined for every stream of the workspace (and topic). */
  readonly streamIds: readonly string[] | undefined;
  readonly topic: string | undefined;
  /** Nanoseconds, both inclusive. */
  readonly from: bigint;
  readonly to: bigint;
  /** All of them must hold; empty means every row. Patterns are valid. */
  readonly tagFilters: readonly TagFilter[];
}

/**
 * A read of rows as they were written. Rows are the union over the parameters, ordered by time, then stream id,
 * then topic, then tag set; `Desc` turns the whole order round.
 */
export interface ReadPlan extends Selection {
  /** Distinct; blocks have their columns in this order. */
  readonly parameters: readonly ParameterKey[];
  readonly order: Direction;
  /** The most rows wanted; undefined means all. */
  readonly limit: number | undefined;
  /** Only rows behind this one in the order. */
  readonly after: Position | undefined;
}

/**
 * A read of aggregated rows: one per group, or one per group and bucket. Rows are ordered by time, then the values
 * of `groupBy` one by one (a missing value first, text by code unit); `Desc` turns the whole order round.
 */
export interface AggregatePlan extends Selection {
  /** Distinct parameters that are read. */
  readonly parameters: readonly ParameterKey[];
  /** Distinct; blocks have their columns in this order. */
  readonly columns: readonly AggregateColumn[];
  readonly groupBy: readonly string[];
  /** Undefined: each group is one row, at `from` or, where the query has none, at its first row. */
  readonly buckets: TimeBuckets | undefined;
  readonly order: Direction;
  readonly limit: number | undefined;
  readonly after: Position | undefined;
}

export interface AggregateColumn {
  /** Index into `parameters`. */
  readonly parameter: number;
  readonly aggregation: Exclude<Aggregation, 'None'>;
  /** As the answer names it: `mean(Speed)`. */
  readonly name: string;
  /** Of the result: a count is numeric. */
  readonly kind: Kind;
}

/** Plans a query; aggregations are refused until the store can run them, never answered wrongly. */
export function planRead(workspace: string, query: ParameterDataQuery): ReadPlan {
  const parameters: ParameterKey[] = [];
  const seen = new Set<string>();
  query.parameters.forEach(({ kind, name, aggregation }) => {
    if (aggregation !== 'None') {
      throw new PitwallError('not_supported', {
        errors: [
          { path: `${listNames[kind]}.${name}.aggregationType`, message: 'only None is supported so far' },
        ],
      });
    }
    const key = `${kind}:${name}`;
    if (!seen.has(key)) parameters.push({ kind, name });
    seen.add(key);
  });
  return {
    workspace,
    streamIds: query.streamIds,
    topic: query.topic,
    from: query.from ?? minTimestamp,
    to: query.to ?? maxTimestamp,
    tagFilters: query.tagFilters ?? [],
    parameters,
    order: query.order ?? 'Asc',
    limit: query.limit,
    after: query.cursor === undefined ? undefined : decodeCursor(query.cursor),
  };
}

const listNames = ['numericParameters', 'stringParameters', 'binaryParameters', 'eventIds'] as const;
