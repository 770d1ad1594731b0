import type { StreamDescription } from '../domain/definition.ts';
import type { Document, DocumentKind } from '../domain/document.ts';
import type {
  EventFilter,
  ListedEvent,
  ListedParameter,
  ParameterFilter,
  PlacedStream,
  TopicSummary,
  UnknownParameter,
} from '../domain/listing.ts';
import type { ParameterKey } from '../domain/parameter-data.ts';
import type { TokenRecord, WorkspaceRecord } from '../domain/principal.ts';
import type { StreamFilter } from '../domain/query.ts';
import type { Stream } from '../domain/stream.ts';
import type { Selection } from '../query/plan/plan.ts';

/** An answer that a store gives at once where it has it in memory, and as a promise where it has to ask for it. */
export type Answer<T> = T | Promise<T>;

export interface StoredTopic {
  readonly name: string;
  readonly retention: bigint | undefined;
}

/**
 * Streams, and what was written to them. Listings hold all that was acknowledged before the call, by any node; they reject
 * with `storage_failed` (503) where they cannot be had, and with the reason of a signal that aborts while they wait.
 */
export interface Listings {
  /** Streams of a workspace that the filter selects, ordered and paged; statuses as of `now` (ms). */
  streams(workspace: string, filter: StreamFilter, now: number, signal?: AbortSignal): Answer<Stream[]>;
  /** The same streams as a tree by their parents; pages are of those at the top, each with all below it. */
  streamModels(
    workspace: string,
    filter: StreamFilter,
    now: number,
    signal?: AbortSignal,
  ): Answer<PlacedStream[]>;
  /** Parameters of streams, written or defined; ordered and paged. */
  parameters(workspace: string, filter: ParameterFilter, signal?: AbortSignal): Answer<ListedParameter[]>;
  events(workspace: string, filter: EventFilter, signal?: AbortSignal): Answer<ListedEvent[]>;
  /** Ids of the events that streams have data of, in order of text. */
  writtenEvents(
    workspace: string,
    streams: Pick<Selection, 'streamIds' | 'topic'>,
    signal?: AbortSignal,
  ): Answer<string[]>;
  /**
   * The first few of some parameters that no selected stream has data of, or a definition, each with the nearest that one has.
   * Nothing where that would take long to find out.
   */
  unknownParameters(
    workspace: string,
    streams: Pick<Selection, 'streamIds' | 'topic'>,
    keys: readonly ParameterKey[],
    signal?: AbortSignal,
  ): Answer<UnknownParameter[]>;
  /** Every topic of a workspace, by name. */
  topics(workspace: string, signal?: AbortSignal): Answer<TopicSummary[]>;
}

/** What writes and live readers ask of one stream. Answers that may be promises reject like listings. */
export interface StreamLookup {
  /** Whether there is such a stream; not for one that is soft-deleted. */
  hasStream(workspace: string, topic: string, streamId: string): Answer<boolean>;
  /**
   * Whether a write that is placed now makes the stream: it is not there, or its removal for good has its place, and no
   * write under way makes it. Undefined where a store does not know that at once: such a store forgets with a stream that is
   * removed for good what alert rules know of it, and have to tell.
   */
  isNew(workspace: string, topic: string, streamId: string): boolean | undefined;
  /** As long as it is the same, `isNew` has become true of no stream. */
  lostStreams(): number;
  /**
   * A stream with all that is known of it, its status as of `now` (ms). Live readers have many streams described in
   * one turn of the event loop: a store that has to ask for them does so for all of a turn together.
   */
  describe(
    workspace: string,
    topic: string,
    streamId: string,
    now: number,
  ): Answer<StreamDescription | undefined>;
}

/**
 * Tokens, workspaces and settings of topics, at hand at once, from memory: of this node's own writes as they are
 * acknowledged, of other nodes' about a second later at most, or after `refresh`.
 */
export interface ServiceRegistry {
  /**
   * Resolves when what is at hand holds all that any node had acknowledged at the call; undefined where it always
   * does. To be asked before something is refused because it is not known. Calls at the same time cost one look;
   * rejects with `storage_failed` (503).
   */
  refresh(): Promise<void> | undefined;
  /**
   * The oldest time (ns) of rows that are kept of a topic now, also of one that is not there yet; undefined where all
   * are.
   */
  retainedFrom(workspace: string, topic: string): bigint | undefined;
  /** A topic as it was first spelt. */
  topicName(workspace: string, topic: string): string | undefined;
  /** Every topic of a workspace that has come into being, also without streams, as it was first spelt, with its own retention (ns). */
  topicSettings(workspace: string): readonly StoredTopic[];
  tokenByHash(hash: string): TokenRecord | undefined;
  tokens(): TokenRecord[];
  workspace(name: string): WorkspaceRecord | undefined;
  workspaces(): WorkspaceRecord[];
}

/** Kept documents, such as views and alert rules: each a text with an id, of a kind, of a topic or of none. At hand as a registry is. */
export interface Documents {
  /**
   * Kept documents of a kind, in order of id; without `topic` those of all topics and of none. The same array until one
   * of them changes.
   */
  documents(workspace: string, kind: DocumentKind, topic?: string): readonly Document[];
  /** The same in no order, without the work of putting very many in order; goes on while others come and go. */
  eachDocument(workspace: string, kind: DocumentKind, topic?: string): Iterable<Document>;
  documentCount(workspace: string, kind: DocumentKind): number;
  /** Of their bodies: UTF-16 code units, which mostly are as many bytes. */
  documentBytes(workspace: string, kind: DocumentKind): number;
  document(
    workspace: string,
    kind: DocumentKind,
    topic: string | undefined,
    id: string,
  ): Document | undefined;
}

/** All that is known of streams, topics, documents, workspaces and tokens. */
export interface Catalog extends Listings, StreamLookup, ServiceRegistry, Documents {}
