import {
  type KeptItem,
  type KeptName,
  type KeptTable,
  keptKey,
  keptTable,
  namedByKey,
} from '../../../domain/kept.ts';
import { defaultWorkspace, type TokenRecord, type WorkspaceRecord } from '../../../domain/principal.ts';
import { minTimestamp } from '../../../domain/timestamp.ts';
import { foldTopic } from '../../../domain/topic.ts';
import { keptVersions } from './kept-versions.ts';

/**
 * What is small and asked for by every request, in memory: tokens, kept documents, workspaces and topics. Records come from this
 * node's own changes and from what others wrote, in any order and repeatedly: of each thing the highest version
 * counts (of a topic's name the lowest: its first spelling).
 */
export interface Registry {
  putToken(change: TokenChange): void;
  putWorkspace(change: WorkspaceChange): void;
  putTopic(change: TopicChange): void;
  putKept(change: KeptChange): void;
  /** Whether it knows of that document what this version says of it, or something newer. */
  hasKept(workspace: string, name: KeptName, version: bigint): boolean;
  /**
   * Drops documents that were written before a version, unless they are among these, by `keptKey`: they were forgotten, and
   * nothing in the database tells so any more.
   */
  dropKept(before: bigint, unless: ReadonlySet<string>): void;
  readonly kept: Pick<KeptTable, 'list' | 'each' | 'count' | 'bytes' | 'get'>;
  tokenByHash(hash: string): TokenRecord | undefined;
  tokens(): TokenRecord[];
  workspace(name: string): WorkspaceRecord | undefined;
  workspaces(): WorkspaceRecord[];
  /** A topic as it was first spelt. */
  topicName(workspace: string, topic: string): string | undefined;
  /** Topics that are spelt otherwise than folded: folded to spelt. */
  speltTopics(workspace: string): ReadonlyMap<string, string>;
  /** Age of rows (ns) from which on they are not kept, of a topic that may not be there yet. */
  retention(workspace: string, topic: string): bigint | undefined;
  /** The oldest time (ns) of rows that are kept at `now` (ms). */
  keptFrom(workspace: string, topic: string, now: number): bigint | undefined;
  /** The same for all topics of a workspace; undefined where every row is kept. */
  keptTimes(workspace: string, now: number): KeptTimes | undefined;
  /** The highest version of all records. */
  readonly newest: bigint;
}

/** Oldest times (ns) that are kept: of some topics, folded, and of all others. */
export interface KeptTimes {
  readonly topics: ReadonlyMap<string, bigint>;
  readonly others: bigint;
}

export interface TokenChange {
  readonly id: string;
  readonly version: bigint;
  /** Undefined: revoked. */
  readonly token: TokenRecord | undefined;
}

export interface WorkspaceChange {
  readonly name: string;
  readonly version: bigint;
  /** Undefined: removed, with all that is not newer. */
  readonly workspace: WorkspaceRecord | undefined;
}

export interface TopicChange {
  readonly workspace: string;
  readonly topic: string;
  readonly name: { readonly version: bigint; readonly text: string };
  /** Version 0: not set. */
  readonly retention: { readonly version: bigint; readonly age: bigint | undefined };
}

export interface KeptChange {
  readonly workspace: string;
  readonly name: KeptName;
  readonly version: bigint;
  /** Undefined: forgotten. */
  readonly item: KeptItem | undefined;
}

type Topic = Pick<TopicChange, 'name' | 'retention'>;

export function createRegistry(): Registry {
  const tokens = new Map<string, TokenChange>();
  const idsByHash = new Map<string, string>();
  const workspaces = new Map<string, WorkspaceChange>();
  const topics = new Map<string, Map<string, Topic>>();
  const kept = keptTable();
  /** By workspace and `keptKey`. */
  const versionsOfKept = keptVersions();
  let newest = 0n;

  const see = (version: bigint) => {
    if (version > newest) newest = version;
  };

  const removedAt = (workspace: string): bigint => {
    const known = workspaces.get(workspace);
    return known !== undefined && known.workspace === undefined ? known.version : 0n;
  };

  const retentionOf = (workspace: string, own: bigint | undefined): bigint | undefined => {
    const shared = workspaces.get(workspace)?.workspace?.retention;
    if (own === undefined || shared === undefined) return own ?? shared;
    return shared < own ? shared : own;
  };

  const retention = (workspace: string, topic: string): bigint | undefined =>
    retentionOf(workspace, topics.get(workspace)?.get(foldTopic(topic))?.retention.age);

  /** Forgets what a workspace had that is not newer. */
  function forget(workspace: string, version: bigint): void {
    for (const [id, change] of tokens) {
      if (change.token?.workspace !== workspace || change.version > version) continue;
      idsByHash.delete(change.token.hash);
      tokens.delete(id);
    }
    const left = [...(topics.get(workspace) ?? [])].filter(([, { name }]) => name.version > version);
    topics.set(workspace, new Map(left));
    for (const item of kept.all(workspace)) {
      if (versionsOfKept.of(workspace, keptKey(workspace, item)) <= version) kept.remove(workspace, item);
    }
    // What is not newer is refused as long as the removal is known; after that it was removed in between.
    versionsOfKept.forget(workspace, version);
  }

  return {
    putToken(change) {
      see(change.version);
      const known = tokens.get(change.id);
      if (known !== undefined && known.version > change.version) return;
      if (change.token !== undefined && change.version <= removedAt(change.token.workspace)) return;
      if (known?.token !== undefined) idsByHash.delete(known.token.hash);
      tokens.set(change.id, change);
      if (change.token !== undefined) idsByHash.set(change.token.hash, change.id);
    },

    putWorkspace(change) {
      see(change.version);
      const { name, version, workspace } = change;
      const known = workspaces.get(name);
      if (known !== undefined && known.version > version) return;
      workspaces.set(name, change);
      // One that was made at another time has been removed in between; the default one never is, but nodes that make
      // it at once may have different times.
      const isSame =
        name === defaultWorkspace ||
        (workspace !== undefined && known?.workspace?.createdAt === workspace.createdAt);
      if (known !== undefined && !isSame) forget(name, version);
    },

    putTopic({ workspace, topic, name, retention }) {
      see(name.version);
      see(retention.version);
      if (name.version <= removedAt(workspace)) return;
      const ofWorkspace = topics.get(workspace) ?? new Map<string, Topic>();
      topics.set(workspace, ofWorkspace);
      const known = ofWorkspace.get(topic);
      ofWorkspace.set(topic, {
        name: known !== undefined && known.name.version <= name.version ? known.name : name,
        retention:
          known !== undefined && known.retention.version > retention.version ? known.retention : retention,
      });
    },

    putKept({ workspace, name, version, item }) {
      see(version);
      const key = keptKey(workspace, name);
      if (versionsOfKept.of(workspace, key) > version || version <= removedAt(workspace)) return;
      versionsOfKept.put(workspace, key, version, item !== undefined);
      if (item === undefined) kept.remove(workspace, name);
      else kept.put(workspace, item);
    },
    hasKept: (workspace, name, version) =>
      versionsOfKept.of(workspace, keptKey(workspace, name)) >= version || version <= removedAt(workspace),
    dropKept(before, unless) {
      for (const [workspace, key] of versionsOfKept.olderThan(before)) {
        if (unless.has(key)) continue;
        versionsOfKept.put(workspace, key, versionsOfKept.of(workspace, key), false);
        kept.remove(workspace, namedByKey(key).name);
      }
    },
    kept,

    tokenByHash: (hash) => tokens.get(idsByHash.get(hash) ?? '')?.token,
    tokens: () => [...tokens.values()].flatMap(({ token }) => token ?? []),
    workspace: (name) => workspaces.get(name)?.workspace,
    workspaces: () => [...workspaces.values()].flatMap(({ workspace }) => workspace ?? []),
    topicName: (workspace, topic) => topics.get(workspace)?.get(foldTopic(topic))?.name.text,
    speltTopics(workspace) {
      const known = [...(topics.get(workspace) ?? [])].map(
        ([topic, { name }]) => [topic, name.text] as const,
      );
      return new Map(known.filter(([topic, text]) => topic !== text));
    },
    retention,

    keptFrom(workspace, topic, now) {
      const age = retention(workspace, topic);
      return age === undefined ? undefined : before(now, age);
    },

    keptTimes(workspace, now) {
      const shared = retentionOf(workspace, undefined);
      const own = new Map<string, bigint>();
      for (const [topic, { retention }] of topics.get(workspace) ?? []) {
        const age = retentionOf(workspace, retention.age);
        if (age !== undefined && age !== shared) own.set(topic, before(now, age));
      }
      if (shared === undefined && own.size === 0) return undefined;
      return { topics: own, others: shared === undefined ? minTimestamp : before(now, shared) };
    },

    get newest() {
      return newest;
    },
  };
}

function before(now: number, age: bigint): bigint {
  const oldest = BigInt(Math.floor(now)) * 1_000_000n - age;
  return oldest < minTimestamp ? minTimestamp : oldest;
}
