import type { GroupValues } from '../groups/group-table.ts';
import type { PartialStates } from './parameter-states.ts';

/** What an aggregator has of rows, as plain data, for another aggregator of the same plan and range: perhaps on another thread. */
export interface PartialAggregate {
  /** How many slots have rows; there may be more places in the states. */
  readonly count: number;
  /** The groups, by number. */
  readonly groups: readonly GroupValues[];
  /** By slot, its group and its bucket. */
  readonly groupOf: Uint32Array;
  readonly bucketOf: Float64Array;
  /** Of each slot, where these matter: the time (ns) of its first row. */
  readonly firstTimes: BigInt64Array | undefined;
  /** By parameter, the states of its aggregations. */
  readonly parameters: readonly PartialStates[];
}

/** The memory of the arrays, each once: to be given to another thread with them. */
export function buffersOf({ groupOf, bucketOf, firstTimes, parameters }: PartialAggregate): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  const visit = (value: unknown): void => {
    if (ArrayBuffer.isView(value)) found.add(value.buffer as ArrayBuffer);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit);
  };
  visit([groupOf, bucketOf, firstTimes, parameters]);
  return [...found];
}
