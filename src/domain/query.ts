import type { ParameterKey } from './parameter-data.ts';
import type { Status } from './stream.ts';

export type Direction = 'Asc' | 'Desc';

/** Order of streams by one property: a scalar field of Stream, or `metadata.<key>`. */
export interface Ordering {
  readonly by: string;
  readonly direction: Direction;
}

/** `index` is the number of the page, from 0; `length` its size. */
export interface Paging {
  readonly index: number;
  readonly length: number;
}

/**
 * The filter of `/streams` (contract, section 4): fields combine with AND, entries of one array with OR,
 * `metadata` entries with AND. An absent field selects everything; arrays here are never empty.
 */
export interface StreamFilter {
  readonly streamIds?: readonly string[];
  readonly location?: string;
  readonly topic?: string;
  readonly topics?: readonly string[];
  readonly parameterIds?: readonly string[];
  readonly eventIds?: readonly string[];
  readonly metadata?: readonly { readonly key?: string; readonly value?: string }[];
  readonly includeStatuses?: readonly Status[];
  readonly excludeStatuses?: readonly Status[];
  readonly name?: string;
  readonly parentStreamId?: string;
  readonly search?: string;
  readonly ordering?: readonly Ordering[];
  readonly paging?: Paging;
}

/**
 * How the values of a group become one (contract, sections 4 and 9). None keeps the rows. What each
 * needs and gives stands in query/states/aggregations.ts.
 */
export const aggregations = [
  'None',
  'Mean',
  'Max',
  'Min',
  'First',
  'Last',
  'Sum',
  'Count',
  'Median',
  'Spread',
  'StdDev',
  'Mode',
  'P50',
  'P90',
  'P95',
  'P99',
] as const;
export type Aggregation = (typeof aggregations)[number];

/** What strings, binaries and events can become; a mean of names is a mistake. */
export const textAggregations: readonly Aggregation[] = ['None', 'First', 'Last', 'Count'];

export const interpolations = ['None', 'Linear', 'Null', 'Previous', 'Zero'] as const;
/** What a bucket without data becomes; None leaves it out. */
export type Interpolation = (typeof interpolations)[number];

export const tagOperators = ['Equal', 'NotEqual', 'Like', 'NotLike'] as const;
export type TagOperator = (typeof tagOperators)[number];

/**
 * A condition on one tag. Equal and Like: any of the values; NotEqual and NotLike: none of them. A row without the
 * tag is NotEqual and NotLike to every value. A number matches a tag that reads as that number; Like takes
 * patterns, searched for, of a linear-time engine.
 */
export interface TagFilter {
  readonly tag: string;
  readonly operator: TagOperator;
  /** At least one. */
  readonly values: readonly (string | number)[];
}

/** Buckets aligned to the Unix epoch. */
export interface TimeBuckets {
  /** Nanoseconds, at least 1. */
  readonly width: bigint;
  readonly interpolation: Interpolation;
  /** With Previous: the last row before the range counts too. */
  readonly lookBack?: boolean;
  /** Where the request has the width, for errors; undefined in `groupByTime`. */
  readonly field?: string;
}

export interface RequestedParameter extends ParameterKey {
  readonly aggregation: Aggregation;
}

/** The body of `/parameters/data` as it was asked, before planning. Times in nanoseconds, both inclusive. */
export interface ParameterDataQuery {
  readonly parameters: readonly RequestedParameter[];
  readonly from?: bigint;
  readonly to?: bigint;
  readonly streamIds?: readonly string[];
  readonly topic?: string;
  readonly tagFilters?: readonly TagFilter[];
  readonly groupBy?: readonly string[];
  readonly groupByTime?: TimeBuckets;
  readonly limit?: number;
  readonly order?: Direction;
  readonly cursor?: string;
}
