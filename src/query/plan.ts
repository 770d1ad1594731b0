import type { ParameterKey } from '../domain/parameter-data.ts';
import type { Direction, ParameterDataQuery } from '../domain/query.ts';
import { maxTimestamp, minTimestamp } from '../domain/timestamp.ts';
import { PitwallError } from '../errors.ts';
import { decodeCursor, type Position } from './cursor.ts';

/**
 * What a store runs. Rows are the union over the parameters, ordered by time, then stream id, then topic,
 * then tag set; `Desc` turns the whole order round.
 * Aggregation, buckets and tag filters get their fields here when they come; a store that meets a field it
 * does not know must refuse.
 */
export interface ReadPlan {
  readonly workspace: string;
  /** Exact ids, or undefined for every stream of the workspace (and topic). */
  readonly streamIds: readonly string[] | undefined;
  readonly topic: string | undefined;
  /** Nanoseconds, both inclusive. */
  readonly from: bigint;
  readonly to: bigint;
  /** Distinct; blocks have their columns in this order. */
  readonly parameters: readonly ParameterKey[];
  readonly order: Direction;
  /** The most rows wanted; undefined means all. */
  readonly limit: number | undefined;
  /** Only rows behind this one in the order. */
  readonly after: Position | undefined;
}

/** Plans a query; aggregations are refused until the store can run them, never answered wrongly. */
export function planRead(workspace: string, query: ParameterDataQuery): ReadPlan {
  const parameters: ParameterKey[] = [];
  const seen = new Set<string>();
  query.parameters.forEach(({ kind, name, aggregation }) => {
    if (aggregation !== undefined && aggregation.toLowerCase() !== 'none') {
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
    parameters,
    order: query.order ?? 'Asc',
    limit: query.limit,
    after: query.cursor === undefined ? undefined : decodeCursor(query.cursor),
  };
}

const listNames = ['numericParameters', 'stringParameters', 'binaryParameters', 'eventIds'] as const;
