import {
  type Document,
  type DocumentName,
  type DocumentTable,
  documentKey,
  documentOfKey,
  documentTable,
} from '../../../domain/document.ts';
import { defaultWorkspace, type TokenRecord, type WorkspaceRecord } from '../../../domain/principal.ts';
import { minTimestamp } from '../../../domain/timestamp.ts';
import type { StoredTopic } from '../../catalog.ts';
import { documentVersions } from './document-versions.ts';
import { RegisteredTokens, type TokenChange } from './registered-tokens.ts';
import { RegisteredTopics, type TopicChange } from './registered-topics.ts';

/**
 * What is small and asked for by every request, in memory: tokens, kept documents, workspaces and topics. Records come from this
 * node's own changes and from what others wrote, in any order and repeatedly: of each thing the highest version
 * counts (of a topic's name the lowest: its first spelling).
 */
export interface Registry {
  putToken(change: TokenChange): void;
  putWorkspace(change: WorkspaceChange): void;
  putTopic(change: TopicChange): void;
  putDocument(change: DocumentChange): void;
  /** Whether it knows of that document what this version says of it, or something newer. */
  hasDocument(workspace: string, name: DocumentName, version: bigint): boolean;
  /**
   * Drops documents that were written before a version, unless they are among these, by `documentKey`: they were forgotten, and
   * nothing in the database tells so any more.
   */
  dropDocuments(before: bigint, unless: ReadonlySet<string>): void;
  readonly documents: Pick<DocumentTable, 'list' | 'each' | 'count' | 'bytes' | 'get'>;
  tokenByHash(hash: string): TokenRecord | undefined;
  tokens(): TokenRecord[];
  workspace(name: string): WorkspaceRecord | undefined;
  workspaces(): WorkspaceRecord[];
  /** A topic as it was first spelt. */
  topicName(workspace: string, topic: string): string | undefined;
  /** Every topic of a workspace, as it was first spelt, with its own retention (ns). */
  topicSettings(workspace: string): StoredTopic[];
  /** Topics that are spelt otherwise than folded: folded to spelt. */
  speltTopics(workspace: string): ReadonlyMap<string, string>;
  /** Age of rows (ns) from which on they are not kept, of a topic that may not be there yet. */
  retention(workspace: string, topic: string): bigint | undefined;
  /** The oldest time (ns) of rows that are kept at `now` (ms). */
  retainedFrom(workspace: string, topic: string, now: number): bigint | undefined;
  /** The same for all topics of a workspace; undefined where every row is kept. */
  retainedTimes(workspace: string, now: number): RetainedTimes | undefined;
  /** The highest version of all records. */
  readonly newest: bigint;
}

/** Oldest times (ns) that are kept: of some topics, folded, and of all others. */
export interface RetainedTimes {
  readonly topics: ReadonlyMap<string, bigint>;
  readonly others: bigint;
}

export interface WorkspaceChange {
  readonly name: string;
  readonly version: bigint;
  /** Undefined: removed, with all that is not newer. */
  readonly workspace: WorkspaceRecord | undefined;
}

export interface DocumentChange {
  readonly workspace: string;
  readonly name: DocumentName;
  readonly version: bigint;
  /** Undefined: forgotten. */
  readonly item: Document | undefined;
}

export function createRegistry(): Registry {
  return new VersionedRegistry();
}

class VersionedRegistry implements Registry {
  readonly #tokens = new RegisteredTokens();
  readonly #topics = new RegisteredTopics();
  /** By name, also those that were removed. */
  readonly #workspaces = new Map<string, WorkspaceChange>();
  readonly documents = documentTable();
  readonly #keptVersions = documentVersions();
  #newest = 0n;

  get newest(): bigint {
    return this.#newest;
  }

  putToken(change: TokenChange): void {
    const { version, token } = change;
    this.#see(version);
    if (token === undefined || version > this.#removedAt(token.workspace)) this.#tokens.put(change);
  }

  putWorkspace(change: WorkspaceChange): void {
    this.#see(change.version);
    const { name, version, workspace } = change;
    const known = this.#workspaces.get(name);
    if (known !== undefined && known.version > version) return;
    this.#workspaces.set(name, change);
    // One that was made at another time has been removed in between; the default one never is, but nodes that make
    // it at once may have different times.
    const isSame =
      name === defaultWorkspace ||
      (workspace !== undefined && known?.workspace?.createdAt === workspace.createdAt);
    if (known !== undefined && !isSame) this.#forget(name, version);
  }

  putTopic(change: TopicChange): void {
    this.#see(change.name.version);
    this.#see(change.retention.version);
    if (change.name.version > this.#removedAt(change.workspace)) this.#topics.put(change);
  }

  putDocument({ workspace, name, version, item }: DocumentChange): void {
    this.#see(version);
    const key = documentKey(workspace, name);
    if (this.#keptVersions.of(workspace, key) > version || version <= this.#removedAt(workspace)) return;
    this.#keptVersions.put(workspace, key, version, item !== undefined);
    if (item === undefined) this.documents.remove(workspace, name);
    else this.documents.put(workspace, item);
  }

  hasDocument(workspace: string, name: DocumentName, version: bigint): boolean {
    return (
      this.#keptVersions.of(workspace, documentKey(workspace, name)) >= version ||
      version <= this.#removedAt(workspace)
    );
  }

  dropDocuments(before: bigint, unless: ReadonlySet<string>): void {
    for (const [workspace, key] of this.#keptVersions.olderThan(before)) {
      if (unless.has(key)) continue;
      this.#keptVersions.put(workspace, key, this.#keptVersions.of(workspace, key), false);
      this.documents.remove(workspace, documentOfKey(key).name);
    }
  }

  tokenByHash(hash: string): TokenRecord | undefined {
    return this.#tokens.byHash(hash);
  }

  tokens(): TokenRecord[] {
    return this.#tokens.all();
  }

  workspace(name: string): WorkspaceRecord | undefined {
    return this.#workspaces.get(name)?.workspace;
  }

  workspaces(): WorkspaceRecord[] {
    return [...this.#workspaces.values()].flatMap(({ workspace }) => workspace ?? []);
  }

  topicName(workspace: string, topic: string): string | undefined {
    return this.#topics.get(workspace, topic)?.name.text;
  }

  topicSettings(workspace: string): StoredTopic[] {
    return [...this.#topics.of(workspace).values()].map(({ name, retention }) => ({
      name: name.text,
      retention: retention.age,
    }));
  }

  speltTopics(workspace: string): ReadonlyMap<string, string> {
    return this.#topics.spelt(workspace);
  }

  retention(workspace: string, topic: string): bigint | undefined {
    return this.#shorterRetention(workspace, this.#topics.get(workspace, topic)?.retention.age);
  }

  retainedFrom(workspace: string, topic: string, now: number): bigint | undefined {
    const age = this.retention(workspace, topic);
    return age === undefined ? undefined : before(now, age);
  }

  retainedTimes(workspace: string, now: number): RetainedTimes | undefined {
    const shared = this.#shorterRetention(workspace, undefined);
    const own = new Map<string, bigint>();
    for (const [topic, { retention }] of this.#topics.of(workspace)) {
      const age = this.#shorterRetention(workspace, retention.age);
      if (age !== undefined && age !== shared) own.set(topic, before(now, age));
    }
    if (shared === undefined && own.size === 0) return undefined;
    return { topics: own, others: shared === undefined ? minTimestamp : before(now, shared) };
  }

  #see(version: bigint): void {
    if (version > this.#newest) this.#newest = version;
  }

  /** The version with which a workspace was removed; 0 where it is there, or is not known. */
  #removedAt(workspace: string): bigint {
    const known = this.#workspaces.get(workspace);
    return known !== undefined && known.workspace === undefined ? known.version : 0n;
  }

  /** A topic's own retention, or its workspace's where that is shorter. */
  #shorterRetention(workspace: string, own: bigint | undefined): bigint | undefined {
    const shared = this.#workspaces.get(workspace)?.workspace?.retention;
    if (own === undefined || shared === undefined) return own ?? shared;
    return shared < own ? shared : own;
  }

  /** Forgets what a workspace had that is not newer. */
  #forget(workspace: string, version: bigint): void {
    this.#tokens.forget(workspace, version);
    this.#topics.forget(workspace, version);
    for (const item of this.documents.all(workspace)) {
      const written = this.#keptVersions.of(workspace, documentKey(workspace, item));
      if (written <= version) this.documents.remove(workspace, item);
    }
    // What is not newer is refused as long as the removal is known; after that it was removed in between.
    this.#keptVersions.forget(workspace, version);
  }
}

function before(now: number, age: bigint): bigint {
  const oldest = BigInt(Math.floor(now)) * 1_000_000n - age;
  return oldest < minTimestamp ? minTimestamp : oldest;
}
