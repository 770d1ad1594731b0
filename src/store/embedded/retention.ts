import { minTimestamp } from '../../domain/timestamp.ts';
import { type CatalogState, findTopic, type Topic } from './catalog-state.ts';

/**
 * Retention: rows whose time lies further back than their topic's retention, or their workspace's where that is
 * shorter, are expired. Reads leave them out at once; merges leave them out of what they write.
 */

/** Of a topic or, while there is none of that name, of what it would be; undefined where rows are kept for ever. */
export function retentionOf(
  state: CatalogState,
  workspace: string,
  topic: Pick<Topic, 'retention'> | undefined,
): bigint | undefined {
  const own = topic?.retention;
  const shared = state.workspaces.get(workspace)?.retention;
  if (own === undefined || shared === undefined) return own ?? shared;
  return shared < own ? shared : own;
}

/** The oldest time (ns) that a stream's rows may have at `now` (ms) and be kept; undefined where all are. */
export function keptFrom(state: CatalogState, stream: number, now: number): bigint | undefined {
  const topic = state.topics[state.streams.topic(stream)];
  return topic && before(now, retentionOf(state, topic.workspace, topic));
}

/** The same of the rows of a topic, now. */
export function topicKeptFrom(state: CatalogState, workspace: string, name: string): bigint | undefined {
  return before(state.clock(), retentionOf(state, workspace, findTopic(state, workspace, name)));
}

function before(now: number, retention: bigint | undefined): bigint | undefined {
  if (retention === undefined) return undefined;
  const oldest = BigInt(Math.floor(now)) * 1_000_000n - retention;
  return oldest < minTimestamp ? minTimestamp : oldest;
}

/** Whether any topic has a retention. */
export function hasRetention(state: CatalogState): boolean {
  for (const { retention } of state.workspaces.values()) if (retention !== undefined) return true;
  return state.topics.some((topic) => topic?.retention !== undefined);
}

/** The same for every stream, fixed to this moment. */
export function keptFromNow(state: CatalogState): (stream: number) => bigint | undefined {
  if (!hasRetention(state)) return () => undefined;
  const now = state.clock();
  return (stream) => keptFrom(state, stream, now);
}

/**
 * Smallest and largest time (ns, both inclusive) of a stream's rows that are not expired now; undefined where there is
 * none. For a moment after a row has expired its end stands for the row that is the first now.
 */
export function visibleExtent(
  state: CatalogState,
  stream: number,
): { readonly first: bigint; readonly last: bigint } | undefined {
  const { rows } = state.streams;
  if (rows.hasData[stream] !== true) return undefined;
  const first = rows.dataStart[stream]!;
  const last = rows.dataEnd[stream]!;
  const kept = keptFrom(state, stream, state.clock());
  if (kept === undefined || kept <= first) return { first, last };
  return kept > last ? undefined : { first: kept, last };
}

/** The number (in ParameterSets) of the parameters that a stream has rows of. */
export function visibleParameters(state: CatalogState, stream: number): number {
  return visibleExtent(state, stream) === undefined ? 0 : state.streams.rows.parameters[stream]!;
}
