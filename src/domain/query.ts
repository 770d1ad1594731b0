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

export interface RequestedParameter extends ParameterKey {
  /** As the client spelt it; undefined means none. */
  readonly aggregation: string | undefined;
}

/** The body of `/parameters/data` as it was asked, before planning. Times in nanoseconds, both inclusive. */
export interface ParameterDataQuery {
  readonly parameters: readonly RequestedParameter[];
  readonly from?: bigint;
  readonly to?: bigint;
  readonly streamIds?: readonly string[];
  readonly topic?: string;
  readonly groupBy?: readonly string[];
  readonly limit?: number;
  readonly order?: Direction;
  readonly cursor?: string;
}
