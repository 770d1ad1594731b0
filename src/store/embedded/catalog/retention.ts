import { minTimestamp } from '../../../domain/timestamp.ts';
import type { Batch } from '../../batch.ts';
import { type CatalogState, findTopic, type Topic } from './catalog-state.ts';

/**
 * Retention: rows whose time lies further back than their topic's retention, or their workspace's where that is
 * shorter, are expired. Reads leave them out at once; merges leave them out of what they write.
 */

/** What follows from the settings, until they change: every read asks, and seldom anything is set. */
interface Retentions {
  readonly removals: number;
  /** Nanoseconds; undefined where no rows ever expire. */
  readonly shortest: bigint | undefined;
  /** Of the moment `now` (ms), by number of the topic. */
  now: number;
  retainedFrom: (bigint | null | undefined)[];
  /** By number of the topic, of the first `topics` ones: nanoseconds, or `forEver`. Larger than that as a rule. */
  ofTopics: BigInt64Array;
  topics: number;
}

const forEver = -1n;

const known = new WeakMap<CatalogState, Retentions>();

function retentionsOf(state: CatalogState): Retentions {
  const before = known.get(state);
  if (before?.removals === state.removals.count) return before;
  const all = [...state.workspaces.values(), ...state.topics].map((owner) => owner?.retention);
  const set = all.filter((retention) => retention !== undefined);
  const shortest = set.length === 0 ? undefined : set.reduce((a, b) => (b < a ? b : a));
  const retentions: Retentions = {
    removals: state.removals.count,
    shortest,
    now: Number.NaN,
    retainedFrom: [],
    ofTopics: new BigInt64Array(0),
    topics: 0,
  };
  known.set(state, retentions);
  return retentions;
}

/** Of a topic or, while there is none of that name, of what it would be. */
function retentionOf(
  state: CatalogState,
  workspace: string,
  topic: Pick<Topic, 'retention'> | undefined,
): bigint | undefined {
  return shorterOf(topic?.retention, state.workspaces.get(workspace)?.retention);
}

function shorterOf(own: bigint | undefined, shared: bigint | undefined): bigint | undefined {
  if (own === undefined || shared === undefined) return own ?? shared;
  return shared < own ? shared : own;
}

/** @param now in ms */
function before(now: number, retention: bigint): bigint {
  return beforeNs(nanoseconds(now), retention);
}

function beforeNs(now: bigint, retention: bigint): bigint {
  const oldest = now - retention;
  return oldest < minTimestamp ? minTimestamp : oldest;
}

function nanoseconds(ms: number): bigint {
  return BigInt(Math.floor(ms)) * 1_000_000n;
}

/** The oldest time (ns) that a stream's rows may have at `now` (ms) and be kept; undefined where all are. */
export function retainedFrom(state: CatalogState, stream: number, now: number): bigint | undefined {
  const retentions = retentionsOf(state);
  if (retentions.shortest === undefined) return undefined;
  if (retentions.now !== now) {
    retentions.now = now;
    retentions.retainedFrom = [];
  }
  const number = state.streams.topic(stream);
  const found = retentions.retainedFrom[number];
  if (found !== undefined) return found ?? undefined;
  const topic = state.topics[number];
  const retention = topic && retentionOf(state, topic.workspace, topic);
  const oldest = retention === undefined ? undefined : before(now, retention);
  retentions.retainedFrom[number] = oldest ?? null;
  return oldest;
}

/** The same of the rows of a topic, now. */
export function topicRetainedFrom(state: CatalogState, workspace: string, name: string): bigint | undefined {
  if (!hasRetention(state)) return undefined;
  const retention = retentionOf(state, workspace, findTopic(state, workspace, name));
  return retention === undefined ? undefined : before(state.believedTime(), retention);
}

/** Which rows of each stream are kept at one moment. It can be sent to a thread. */
export interface RetainedTimes {
  /** Nanoseconds. */
  readonly now: bigint;
  /** By number of the stream. */
  readonly topics: Uint32Array;
  /** By number of the topic: nanoseconds, negative where rows never expire. */
  readonly retentions: BigInt64Array;
}

/** The kept times of this moment; undefined where no rows ever expire. */
export function retainedTimes(state: CatalogState): RetainedTimes | undefined {
  if (!hasRetention(state)) return undefined;
  const now = nanoseconds(state.believedTime());
  return { now, topics: state.streams.topics, retentions: retentionsByTopic(state) };
}

/** The oldest time (ns) that a stream's rows may have and be kept; undefined where all are. */
export function oldestRetained(
  { now, topics, retentions }: RetainedTimes,
  stream: number,
): bigint | undefined {
  const retention = retentions[topics[stream] ?? 0] ?? forEver;
  return retention < 0n ? undefined : beforeNs(now, retention);
}

/** Topics that came since the last time are added in place: whoever has the array does not know their numbers. */
function retentionsByTopic(state: CatalogState): BigInt64Array {
  const retentions = retentionsOf(state);
  const { length } = state.topics;
  if (retentions.ofTopics.length < length) {
    const larger = new BigInt64Array(new SharedArrayBuffer(16 * length));
    larger.set(retentions.ofTopics.subarray(0, retentions.topics));
    retentions.ofTopics = larger;
  }
  for (; retentions.topics < length; retentions.topics++) {
    const topic = state.topics[retentions.topics];
    retentions.ofTopics[retentions.topics] = (topic && retentionOf(state, topic.workspace, topic)) ?? forEver;
  }
  return retentions.ofTopics;
}

/**
 * What a batch lets no longer expire: by numbers of the topics whose retention it makes longer or takes away, the last
 * time (ns) that is expired now.
 */
export function lastExpired(state: CatalogState, { workspace, changes }: Batch): Map<number, bigint> {
  const ofTopics = new Map<Topic, bigint | undefined>();
  const ofWorkspaces = new Map<string, bigint | undefined>();
  for (const change of changes) {
    if (change.type === 'workspace') ofWorkspaces.set(change.workspace.name, change.workspace.retention);
    const topic = change.type === 'topic' ? findTopic(state, workspace, change.topic) : undefined;
    if (topic !== undefined && change.type === 'topic') ofTopics.set(topic, change.retention);
  }
  const found = new Map<number, bigint>();
  if (ofTopics.size + ofWorkspaces.size === 0) return found;
  for (const topic of state.topics) {
    if (topic === undefined) continue;
    const retention = retentionOf(state, topic.workspace, topic);
    if (retention === undefined) continue;
    const next = shorterOf(
      ofTopics.has(topic) ? ofTopics.get(topic) : topic.retention,
      ofWorkspaces.has(topic.workspace)
        ? ofWorkspaces.get(topic.workspace)
        : state.workspaces.get(topic.workspace)?.retention,
    );
    const oldest = before(state.believedTime(), retention);
    if (oldest > minTimestamp && (next === undefined || next > retention))
      found.set(topic.number, oldest - 1n);
  }
  return found;
}

/** Whether rows of any topic expire. */
export function hasRetention(state: CatalogState): boolean {
  return retentionsOf(state).shortest !== undefined;
}

/** No row from this time (ns) on is expired at `now` (ms), of whatever topic; undefined where none ever is. */
export function latestExpiry(state: CatalogState, now: number): bigint | undefined {
  const { shortest } = retentionsOf(state);
  return shortest === undefined ? undefined : before(now, shortest);
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
  const kept = hasRetention(state) ? retainedFrom(state, stream, state.believedTime()) : undefined;
  if (kept === undefined || kept <= first) return { first, last };
  return kept > last ? undefined : { first: kept, last };
}

/** The number (in ParameterSets) of the parameters that a stream has rows of. */
export function visibleParameters(state: CatalogState, stream: number): number {
  return visibleExtent(state, stream) === undefined ? 0 : state.streams.rows.parameters[stream]!;
}
