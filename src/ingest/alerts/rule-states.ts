import { type StoredState, stateId, stateOfBody } from '../../alerts/stored-state.ts';
import { foldTopic } from '../../domain/topic.ts';
import type { Change, Documents } from '../../store/store.ts';

/** The state of a rule and a stream, found by its names. */
export interface StateName {
  readonly workspace: string;
  readonly topic: string;
  readonly rule: string;
  readonly streamId: string;
}

/**
 * States of rules and streams: those that the store keeps, and of writes under way those that come. A write builds on the
 * states of those before it; where one of them fails, the store lets all after it fail too.
 */
export interface RuleStates {
  get(name: StateName): StoredState | undefined;
  /**
   * The state of a write that is placed; `settle` is called when it is durable or has failed.
   *
   * @param body of the state, as it is kept
   */
  put(name: StateName, state: StoredState, body: string): { settle(): void };
  /** A write that is placed forgets the state. */
  drop(name: StateName): { settle(): void };
  /**
   * Why no more streams may be watched in a workspace, by a rule that remembers rows or not; undefined where they may.
   *
   * @param more what the write takes so far
   */
  noRoom(workspace: string, looksBack: boolean, more: MoreStates): string | undefined;
  /** Why rules of a workspace may remember no more rows than they do; undefined where they may. */
  noGrowth(workspace: string, more: MoreStates): string | undefined;
}

/** What a write takes that is not placed yet. */
export interface MoreStates {
  /** New ones. */
  states: number;
  /** By which states grow, as they are kept. */
  bytes: number;
}

/** The most states of a workspace: each takes some hundred bytes of memory. */
export const maxStates = 100_000;

/**
 * Bytes of the states of a workspace, as they are kept: rules that remember rows neither get new streams beyond it, nor may
 * they remember more of those that they have. One takes up to 22 KiB, and about twice that in memory.
 */
export const maxStateBytes = 64 << 20;

/** The bytes of the states that were made last and are remembered. */
const latestBytes = 32 << 20;

/** What a state takes beside its body, about. */
const overheadBytes = 400;

interface Coming {
  readonly state: StoredState | undefined;
}

interface Latest {
  readonly state: StoredState;
  /** As it is kept. */
  body: string;
}

export function ruleStates(
  catalog: Pick<Documents, 'documentCount' | 'documentBytes' | 'document'>,
): RuleStates {
  /** Undefined for those that are forgotten. */
  const coming = new Map<string, Coming>();
  /**
   * Those that were made last, in this order, so that they need not be read from what the store keeps. They have no place in a
   * WeakMap: with an entry for each write the collector of garbage takes half as much time as the write itself.
   */
  const latest = new Map<string, Latest>();
  let bytes = 0;
  /** Others that are kept, read once. */
  const read = new WeakMap<object, StoredState>();

  const keyOf = ({ workspace, topic, rule, streamId }: StateName): string =>
    `${workspace}\n${foldTopic(topic)}\n${rule}\n${streamId}`;

  const place = (key: string, state: StoredState | undefined) => {
    const own: Coming = { state };
    coming.set(key, own);
    return {
      settle() {
        if (coming.get(key) === own) coming.delete(key);
      },
    };
  };

  const letGo = (key: string): void => {
    const one = latest.get(key);
    if (one === undefined) return;
    latest.delete(key);
    bytes -= one.body.length + overheadBytes;
  };

  const remember = (key: string, state: StoredState, body: string): void => {
    letGo(key);
    latest.set(key, { state, body });
    bytes += body.length + overheadBytes;
    if (bytes <= latestBytes) return;
    for (const oldest of latest.keys()) {
      letGo(oldest);
      if (bytes <= latestBytes) return;
    }
  };

  return {
    get(name) {
      const key = keyOf(name);
      const placed = coming.get(key);
      if (placed !== undefined) return placed.state;
      const { workspace, topic, rule, streamId } = name;
      const item = catalog.document(workspace, 'alertState', topic, stateId(rule, streamId));
      const made = latest.get(key);
      if (item === undefined) {
        letGo(key);
        return undefined;
      }
      if (made?.body === item.body) {
        // One text of the two is enough.
        made.body = item.body;
        return made.state;
      }
      const before = read.get(item);
      if (before !== undefined) return before;
      const kept = stateOfBody(item.body);
      if (kept !== undefined) read.set(item, kept);
      return kept;
    },

    put(name, state, body) {
      const key = keyOf(name);
      remember(key, state, body);
      return place(key, state);
    },

    drop: (name) => place(keyOf(name), undefined),

    noRoom(workspace, looksBack, more) {
      if (catalog.documentCount(workspace, 'alertState') + coming.size + more.states >= maxStates)
        return 'there are too many streams to watch: it is not evaluated for new ones';
      return looksBack && isFull(workspace, more)
        ? `rules of this workspace remember ${maxStateBytes >> 20} MiB of rows already: it is not evaluated for new streams; make windows narrower`
        : undefined;
    },
    noGrowth: (workspace, more) =>
      isFull(workspace, more)
        ? `rules of this workspace remember ${maxStateBytes >> 20} MiB of rows already, and it would have to remember more: not evaluated; make windows narrower`
        : undefined,
  };

  function isFull(workspace: string, { bytes: others }: MoreStates): boolean {
    return catalog.documentBytes(workspace, 'alertState') + others >= maxStateBytes;
  }
}

/** The change that forgets a state. */
export function forgetState({ topic, rule, streamId }: StateName): Change {
  return { type: 'forget', kind: 'alertState', topic, id: stateId(rule, streamId) };
}

/** The change that keeps a state. */
export function keepState({ topic, rule, streamId }: StateName, body: string): Change {
  return { type: 'keep', kind: 'alertState', topic, id: stateId(rule, streamId), body };
}
