import type { CountRows } from '../../../query/bounds/running-queries.ts';
import type { Ending } from '../../../turns/pace.ts';
import type { FindHelp } from './portions.ts';

/** On what terms a read runs, whatever its plan is. */
export interface ReadTerms {
  /** Ends it with its reason. */
  readonly signal: Ending;
  /** How long it may work before its first rows, and from some to the next. */
  readonly maxMs: number;
  readonly countRows: CountRows;
  /** Where other threads may take portions of an aggregation. */
  readonly findHelp?: FindHelp | undefined;
}

/** Memory of aggregating queries for groups, buckets and kept values: of each, and of all at one time. */
export const queryBytes = 256 << 20;
export const allQueriesBytes = 2 * queryBytes;
