import type { EventDefinition, ParameterDefinition, StreamDescription } from '../domain/definition.ts';
import type { KeptItem, KeptKind } from '../domain/kept.ts';
import type {
  EventFilter,
  ListedEvent,
  ListedParameter,
  ListedTag,
  ParameterFilter,
  PlacedStream,
  TopicSummary,
  UnknownParameter,
} from '../domain/listing.ts';
import type { ParameterKey, Rows } from '../domain/parameter-data.ts';
import type { TokenRecord, WorkspaceRecord } from '../domain/principal.ts';
import type { StreamFilter } from '../domain/query.ts';
import type { ResultBlock } from '../domain/result.ts';
import type { EndType, Stream, StreamKey, StreamProperties } from '../domain/stream.ts';
import type { AggregatePlan, ReadPlan, Selection } from '../query/plan.ts';
import type { CountRows } from '../query/running-queries.ts';
import type { AnswerRequest, AnswerTerms, MadeAnswer } from './answers/answer.ts';
import type { RowBlock } from './row-block.ts';

/**
 * The contract between the service and its data. Two stores keep it: the embedded one, and the one on ClickHouse, which
 * several nodes share.
 *
 * Promise: when `append` resolves, the whole batch is on disk, visible to the next read, and survives kill -9
 * and a power cut. When it rejects, nothing of the batch was applied or will be.
 */
export interface Store {
  /**
   * Applies everything of one request as one unit.
   * The caller's arrays are copied before the first await: it may reuse them as soon as the call returns. Where the batch
   * has `onCopied` they are copied in slices of time, until that is called or the promise is settled.
   * Rejects with a PitwallError `disk_full`, `storage_failed`, or `overloaded` where no file can be opened for it (503).
   */
  append(batch: Batch): Promise<void>;

  /**
   * Deletes or restores all streams that a filter selects, as one record among those of `append`, with the same
   * promises. Resolves with the streams that it changed: not those that were already as it makes them.
   */
  changeStreams(change: StreamsChange): Promise<ChangedStreams>;

  /**
   * Takes values of the selected rows away for good, as one record among those of `append`: rows that were written
   * before it lose the given parameters (all but events without them), later ones nothing. Streams stay as they are
   * but for `lastUpdate` and what is left of their data. Resolves with the number of rows that lost a value.
   */
  deleteRows(selection: Selection, parameters?: readonly ParameterKey[]): Promise<number>;

  /**
   * Back-pressure: undefined when a batch may be appended now, otherwise a promise that resolves when it may.
   * Ask before decoding a request; `append` itself never waits for memory.
   */
  room(): Promise<void> | undefined;

  /**
   * Runs a plan on one snapshot, taken when the first block is asked for (in ClickHouse: on one for each slice of
   * time that it reads; docs/decisions/010). Blocks come in the plan's order, their
   * rows distinct by (timestamp, stream, tag set), with the last write of each parameter; their memory is the
   * caller's. Ends with the signal's reason when the signal aborts.
   * Rejects with `query_too_slow` (400) when it has worked for too long without rows to give, and with `data_damaged`
   * (500) if the read touches a damaged file; with `overloaded` (503) where no file can be opened.
   *
   * @param countRows told of the rows that it goes through; of ClickHouse those of its answers
   */
  run(plan: ReadPlan, signal: AbortSignal, countRows?: CountRows): AsyncIterable<RowBlock>;

  /**
   * Runs an aggregating plan on one snapshot, near the data. Blocks come in the plan's order, ready to be written;
   * their memory is the caller's. Rejects with `too_many_buckets` or `query_too_large` (400) where the answer or
   * what it takes on the way would be too large, and with `query_too_slow` or `data_damaged` like `run`.
   */
  aggregate(plan: AggregatePlan, signal: AbortSignal, countRows?: CountRows): AsyncIterable<ResultBlock>;

  /** The distinct values of a tag on the selected rows, events included, in order of text; rejects like `run`. */
  tagValues(selection: Selection, tag: string, signal: AbortSignal, countRows?: CountRows): Promise<string[]>;

  /**
   * The tags of the selected rows, events included, in order of text. Goes by what the store knows of its rows without
   * reading them: what was deleted may be among them for a while. Rejects like `run`, and with `query_too_large` (400).
   */
  tagNames(selection: Selection, signal: AbortSignal, countRows?: CountRows): Promise<ListedTag[]>;

  /**
   * Reads what a request asks for and makes its answer, ready to be sent, wherever that is done best. Reads like `run`,
   * `aggregate`, `tagValues` and `tagNames`, and rejects like them; what goes wrong later throws from the chunks. Rejects with
   * `result_too_large` (400) where an answer that is collected would be larger than the request allows, with what
   * `terms.take` throws, and with `read_interrupted` (503) where the thread that read has ended.
   */
  answer(request: AnswerRequest, terms: AnswerTerms): Promise<MadeAnswer>;

  readonly catalog: Catalog;

  /** What `/readyz` says. `writable` is false after a failed sync or while the disk is full. */
  health(): StoreHealth;
  /** Undefined where all is kept elsewhere. */
  memory?(): StoreMemory;
  /** Undefined where none of its own threads read. */
  readThreads?(): ReadThreadsState | undefined;

  /**
   * One consistent state of everything: all that was acknowledged before the call, and nothing half. Writes go on.
   * The chunks are made as they are taken; what the store holds for them is let go of at their end, or when the
   * signal aborts. Rejects with `disk_full`, `overloaded`, or `data_damaged` where a part is missing; a failure on
   * the way throws from the chunks.
   */
  backup(signal: AbortSignal): Promise<Backup>;

  /** The clock that the retention of rows goes by; undefined where that is not a matter of this service. */
  readonly clock: StoreClock | undefined;

  /** Waits for appends under way, flushes, and releases the directory. */
  close(): Promise<void>;
}

/** Everything that one request changes. */
export interface Batch {
  readonly workspace: string;
  readonly changes: readonly Change[];
  /** For one whose rows may be many: called once they are copied. Their arrays stay as they are until then. */
  readonly onCopied?: () => void;
  /**
   * Called when its place among all others is known, before any of it can be seen; it may give more changes, a few, for the
   * same record. The append rejects with what it throws.
   */
  readonly onPlaced?: () => readonly Change[] | undefined;
}

export type Change =
  /**
   * Rows for a stream, which comes into being (with its topic) if it does not exist. Opens it. Events are rows too,
   * with columns of their own kind. With `quiet` they are what the service itself says of a stream: its status
   * and `lastUpdate` stay, a stream that is not there is left alone, and limits do not count.
   */
  | {
      readonly type: 'rows';
      readonly topic: string;
      readonly streamId: string;
      readonly rows: readonly Rows[];
      readonly quiet?: boolean;
    }
  /** Creates the stream if need be, opens it; `properties` replaces all properties, undefined keeps them. */
  | {
      readonly type: 'stream';
      readonly topic: string;
      readonly streamId: string;
      readonly properties?: StreamProperties;
    }
  /**
   * Merges definitions into those of the stream, field by field and in their order. Creates the stream if need be,
   * opens it.
   */
  | {
      readonly type: 'parameterDefinitions';
      readonly topic: string;
      readonly streamId: string;
      readonly definitions: readonly ParameterDefinition[];
    }
  | {
      readonly type: 'eventDefinitions';
      readonly topic: string;
      readonly streamId: string;
      readonly definitions: readonly EventDefinition[];
      readonly quiet?: boolean;
    }
  /** Ends a stream. The caller has made sure that it exists; an unknown stream is left alone. */
  | { readonly type: 'close'; readonly topic: string; readonly streamId: string; readonly endType: EndType }
  /** Replaces the settings of a topic, which comes into being if it does not exist. `retention` in ns. */
  | { readonly type: 'topic'; readonly topic: string; readonly retention: bigint | undefined }
  | { readonly type: 'token'; readonly token: TokenRecord }
  | { readonly type: 'revokeToken'; readonly id: string }
  /** Keeps a document: makes or replaces the one of that kind, topic and id. `body` is JSON. */
  | {
      readonly type: 'keep';
      readonly kind: KeptKind;
      readonly topic: string | undefined;
      readonly id: string;
      readonly body: string;
    }
  /** Forgets a kept document; one that is not there is left alone. */
  | {
      readonly type: 'forget';
      readonly kind: KeptKind;
      readonly topic: string | undefined;
      readonly id: string;
    }
  /** Makes the workspace or replaces its settings. */
  | { readonly type: 'workspace'; readonly workspace: WorkspaceRecord }
  /** Removes the workspace with its tokens, kept documents, topics, streams and rows, for good. */
  | { readonly type: 'removeWorkspace'; readonly name: string };

/**
 * `softDelete` hides streams with their rows until they are restored or written to, `hardDelete` removes them for
 * good, `restore` takes a soft delete back.
 */
export interface StreamsChange {
  readonly workspace: string;
  readonly action: 'softDelete' | 'hardDelete' | 'restore';
  /** Order and page have no meaning here. Soft-deleted streams are selected like others. */
  readonly filter: StreamFilter;
  /** The time (ms) as of which statuses are. */
  readonly now: number;
}

export interface ChangedStreams {
  readonly count: number;
  keys(): Iterable<StreamKey>;
}

/** An answer that a store gives at once where it has it in memory, and as a promise where it has to ask for it. */
export type Answer<T> = T | Promise<T>;

/**
 * What is small. Listings hold all that was acknowledged before the call, by any node; they reject with
 * `storage_failed` (503) where they cannot be had, and with the reason of a signal that aborts while they wait.
 */
export interface Catalog {
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
  /** Whether there is such a stream; not for one that is soft-deleted. */
  hasStream(workspace: string, topic: string, streamId: string): Answer<boolean>;
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

  // What follows is at hand at once, from memory: of this node's own writes as they are acknowledged, of other nodes'
  // about a second later at most, or after `refresh`.

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
  keptFrom(workspace: string, topic: string): bigint | undefined;
  /** A topic as it was first spelt. */
  topicName(workspace: string, topic: string): string | undefined;
  tokenByHash(hash: string): TokenRecord | undefined;
  tokens(): TokenRecord[];
  /**
   * Kept documents of a kind, in order of id; without `topic` those of all topics and of none. The same array until one
   * of them changes.
   */
  kept(workspace: string, kind: KeptKind, topic?: string): readonly KeptItem[];
  /** The same in no order, without the work of putting very many in order; goes on while others come and go. */
  keptItems(workspace: string, kind: KeptKind, topic?: string): Iterable<KeptItem>;
  keptCount(workspace: string, kind: KeptKind): number;
  /** Of their bodies: UTF-16 code units, which mostly are as many bytes. */
  keptBytes(workspace: string, kind: KeptKind): number;
  keptItem(workspace: string, kind: KeptKind, topic: string | undefined, id: string): KeptItem | undefined;
  workspace(name: string): WorkspaceRecord | undefined;
  workspaces(): WorkspaceRecord[];
}

/** An archive that the store's own restore reads. */
export interface Backup {
  /** The length of all chunks together. */
  readonly bytes: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** The machine's clock, which may be wrong, and how far the retention of rows believes it. */
export interface StoreClock {
  read(): ClockReading;
  /**
   * Believes the machine's clock from now on; resolves when that is on disk. Rejects with `disk_full` or
   * `storage_failed` (503), and nothing is confirmed.
   */
  confirm(): Promise<ClockReading>;
}

/** Times are milliseconds since the Unix epoch. */
export interface ClockReading {
  /** What the machine's clock says. */
  readonly time: number;
  /** Rows expire by this time: the same, or an earlier one while the clock is held back. */
  readonly believed: number;
  /** How much earlier that is; 0 where the clock is believed. */
  readonly heldBackMs: number;
  /** Where it is held back: how much longer the clock has to stand, while the service runs, until it is believed. */
  readonly believedInMs?: number;
}

export interface StoreHealth {
  readonly writable: boolean;
  /** Plain sentences about what is wrong, empty when all is well. */
  readonly problems: readonly string[];
  /** Bytes of memory that hold rows which are not in parts yet. */
  readonly headBytes: number;
  /** How many part files there are. */
  readonly parts: number;
}

/** The threads on which a store reads. */
export interface ReadThreadsState {
  readonly threads: number;
  /** Reads that they have under way, and reads that wait for a place on one. */
  readonly reading: number;
  readonly waiting: number;
  /** Threads that ended, and took their queries with them. */
  readonly died: number;
  /** What they keep of part files, in bytes. */
  readonly cacheBytes: number;
  readonly indexBytes: number;
}

/** Memory of a kind, in bytes, and how much it may be. */
export interface MemoryUse {
  readonly bytes: number;
  readonly limit: number;
}

/** What a store on this machine's disk keeps in memory for reads. */
export interface StoreMemory {
  /** Blocks of part files. */
  readonly cache: MemoryUse;
  /** Indexes of part files; those that reads work with may be more than the limit. */
  readonly indexes: MemoryUse;
  /** Rows that are in part files by now, for reads that began before. */
  readonly snapshots: MemoryUse;
  /** Reads that ended because of these rows. */
  readonly endedReads: number;
}

export type { ParameterKey, RowBlock, StreamKey };
