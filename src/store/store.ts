import type { ListedTag } from '../domain/listing.ts';
import type { ParameterKey } from '../domain/parameter-data.ts';
import type { ResultBlock } from '../domain/result.ts';
import type { StreamKey } from '../domain/stream.ts';
import type { CountRows } from '../query/bounds/running-queries.ts';
import type { AggregatePlan, ReadPlan, Selection } from '../query/plan/plan.ts';
import type { AnswerRequest, AnswerTerms, MadeAnswer } from './answers/answer.ts';
import type { Batch, ChangedStreams, StreamsChange } from './batch.ts';
import type { Catalog } from './catalog.ts';
import type { RowBlock } from './row-block.ts';
import type { Backup, ReadThreadsState, StoreClock, StoreHealth, StoreMemory } from './store-state.ts';

/** Takes writes. */
export interface Appender {
  /**
   * Applies everything of one request as one unit.
   * The caller's arrays are copied before the first await: it may reuse them as soon as the call returns. Where the batch
   * has `onCopied` they are copied in slices of time, until that is called or the promise is settled.
   * Rejects with a PitwallError `disk_full`, `storage_failed`, or `overloaded` where no file can be opened for it (503).
   */
  append(batch: Batch): Promise<void>;

  /**
   * Throws `too_many_streams` or `workspace_full` (403) where `append` would for the limits of the workspace now. Undefined where only
   * `append` looks at them.
   */
  admit?(batch: Batch): void;

  /**
   * Back-pressure: undefined when a batch may be appended now, otherwise a promise that resolves when it may.
   * Ask before decoding a request; `append` itself never waits for memory.
   */
  room(): Promise<void> | undefined;
}

/** Answers queries: the catalogue, and plans. */
export interface Reader {
  readonly catalog: Catalog;

  /**
   * Runs a plan on one snapshot, taken when the first block is asked for (in ClickHouse: on one for each slice of
   * time that it reads; docs/decisions/009). Blocks come in the plan's order, their
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
}

/** Looks after what is there: deletes and restores, retention, backups, health, and the end. */
export interface Keeper {
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

  /** The clock that the retention of rows goes by; undefined where that is not a matter of this service. */
  readonly clock: StoreClock | undefined;

  /**
   * One consistent state of everything: all that was acknowledged before the call, and nothing half. Writes go on.
   * The chunks are made as they are taken; what the store holds for them is let go of at their end, or when the
   * signal aborts. Rejects with `disk_full`, `overloaded`, or `data_damaged` where a part is missing; a failure on
   * the way throws from the chunks.
   */
  backup(signal: AbortSignal): Promise<Backup>;

  /** What `/readyz` says. `writable` is false after a failed sync or while the disk is full. */
  health(): StoreHealth;
  /** Undefined where all is kept elsewhere. */
  memory?(): StoreMemory;
  /** Undefined where none of its own threads read. */
  readThreads?(): ReadThreadsState | undefined;

  /** Waits for appends under way, flushes, and releases the directory. */
  close(): Promise<void>;
}

/**
 * The contract between the service and its data. Two stores keep it: the embedded one, and the one on ClickHouse, which
 * several nodes share.
 *
 * Promise: when `append` resolves, the whole batch is on disk, visible to the next read, and survives kill -9
 * and a power cut. When it rejects, nothing of the batch was applied or will be.
 */
export interface Store extends Appender, Reader, Keeper {}

/** The catalogue, and the way to change it: what the settings of the service are read from and written to. */
export type CatalogWriter = Pick<Appender, 'append'> & Pick<Reader, 'catalog'>;

export type { Batch, Change, ChangedStreams, StreamsChange } from './batch.ts';
export type { Answer, Catalog, Documents, Listings, ServiceRegistry, StreamLookup } from './catalog.ts';
export type {
  Backup,
  ClockReading,
  MemoryUse,
  ReadThreadsState,
  StoreClock,
  StoreHealth,
  StoreMemory,
} from './store-state.ts';
export type { ParameterKey, RowBlock, StreamKey };
