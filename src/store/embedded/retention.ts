import { minTimestamp } from '../../domain/timestamp.ts';
import type { CatalogState, Topic } from './catalog-state.ts';

/**
 * Retention: rows whose time lies further back than their topic's retention, or their workspace's where that is
 * shorter, are expired. Reads leave them out at once; merges leave them out of what they write.
 */

/** Nanoseconds, or undefined where rows are kept for ever. */
export function retentionOf(state: CatalogState, topic: Topic): bigint | undefined {
  const shared = state.workspaces.get(topic.workspace)?.retention;
  if (topic.retention === undefined || shared === undefined) return topic.retention ?? shared;
  return shared < topic.retention ? shared : topic.retention;
}

/**
 * The oldest time (ns) of a stream's rows that is not expired at `now` (ms); undefined where no row ever is.
 */
export function keptFrom(state: CatalogState, stream: number, now: number): bigint | undefined {
  const topic = state.topics[state.streams.topic(stream)];
  const retention = topic && retentionOf(state, topic);
  if (retention === undefined) return undefined;
  const oldest = BigInt(Math.floor(now)) * 1_000_000n - retention;
  return oldest < minTimestamp ? minTimestamp : oldest;
}

/** Whether any topic has a retention. */
export function hasRetention(state: CatalogState): boolean {
  for (const { retention } of state.workspaces.values()) if (retention !== undefined) return true;
  return state.topics.some((topic) => topic?.retention !== undefined);
}

/** Smallest and largest time (ns) of a stream's rows that are not expired at `now`; undefined where there is none. */
export function visibleExtent(
  state: CatalogState,
  stream: number,
  now: number,
): { readonly first: bigint; readonly last: bigint } | undefined {
  const { rows } = state.streams;
  if (rows.hasData[stream] !== true) return undefined;
  const first = rows.dataStart[stream]!;
  const last = rows.dataEnd[stream]!;
  const kept = keptFrom(state, stream, now);
  if (kept === undefined || kept <= first) return { first, last };
  return kept > last ? undefined : { first: kept, last };
}
