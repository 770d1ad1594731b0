import type { QueryMemoryUse } from '../../../query/query-memory.ts';
import type { AnswerRequest } from '../../answers/answer.ts';
import type { Part } from '../parts/part-readers.ts';
import type { BoundStreams } from '../read/execute.ts';
import type { SnapshotUpdate } from './snapshot-update.ts';
import type { ToldError } from './told-error.ts';

/** What a read thread is told as it begins. */
export interface ThreadData {
  /** Its place among the threads that count memory; the main thread has the first. */
  readonly place: number;
  readonly memoryUse: QueryMemoryUse;
  /** A flag for each slot: not 0 where its read has ended. Looked at between any two small steps. */
  readonly ended: Int32Array;
  readonly cacheBytes: number;
  readonly indexBytes: number;
  readonly maxFiles: number;
  /** How long a read works before its first rows, and from some to the next. */
  readonly maxQueryMs: number;
}

export type ToThread =
  | {
      readonly type: 'read';
      readonly id: number;
      readonly slot: number;
      readonly request: AnswerRequest;
      /** Of each plan of the request. */
      readonly streams: readonly BoundPlan[];
      readonly snapshot: SnapshotUpdate;
    }
  /** So many bytes of the read's chunks have been taken. */
  | { readonly type: 'taken'; readonly id: number; readonly bytes: number }
  /** The flag of its slot is set. */
  | { readonly type: 'end'; readonly id: number }
  /** Nobody holds the part any more. */
  | { readonly type: 'gone'; readonly part: Part };

/** The streams of a plan, or the numbers of those of a selection. */
export type BoundPlan = BoundStreams | Uint32Array;

/** What a read has done since its last message. */
export interface FromThread {
  readonly id: number;
  readonly rowsRead: number;
  readonly rowsAnswered: number;
  /** Memory that the answer takes until it has left. */
  readonly takenBytes: number;
  /** In the first message with which there may be chunks. */
  readonly begun: { readonly nextCursor: string | undefined } | undefined;
  /** The read uses its snapshot no more. */
  readonly isRead: boolean;
  readonly chunks: readonly Uint8Array[];
  /** In its last message. */
  readonly end: { readonly error: ToldError | undefined } | undefined;
  readonly memory: ThreadMemory;
}

/** What a thread keeps of part files, in bytes. */
export interface ThreadMemory {
  readonly cacheBytes: number;
  readonly indexBytes: number;
}
