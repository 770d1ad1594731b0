import type { MessagePort } from 'node:worker_threads';
import type { QueryMemoryUse } from '../../../query/bounds/query-memory.ts';
import type { AnswerRequest } from '../../answers/answer.ts';
import type { Part } from '../parts/part-readers.ts';
import type { OwnQuestion } from '../read/own-questions.ts';
import type { SentNames, SentPlan } from './sent-streams.ts';
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
  /** Less work (ms) of an aggregation is not shared with other threads. */
  readonly sharedMs: number;
}

export type ToThread =
  | ForReads
  /** The thread is to exit, with all its reads. */
  | { readonly type: 'stop' };

export type ForReads =
  | {
      readonly type: 'read';
      readonly id: number;
      readonly slot: number;
      readonly request: AnswerRequest | OwnQuestion;
      /** By plan of the request, what it reads. */
      readonly plans: readonly SentPlan[];
      /** The last of them. */
      readonly names: readonly SentNames[];
      readonly snapshot: SnapshotUpdate;
    }
  /** Is to take portions of a read of another thread, through this port. */
  | {
      readonly type: 'help';
      readonly id: number;
      readonly slot: number;
      readonly snapshot: SnapshotUpdate;
      readonly port: MessagePort;
    }
  /** Another thread takes portions of the read through this port. */
  | { readonly type: 'helper'; readonly id: number; readonly port: MessagePort }
  /** Names of streams of a read that comes later. */
  | { readonly type: 'names'; readonly id: number; readonly names: SentNames }
  /** So many bytes of the read's chunks have been taken. */
  | { readonly type: 'taken'; readonly id: number; readonly bytes: number }
  /** The flag of its slot is set. It may not have come, then it never does. */
  | { readonly type: 'end'; readonly id: number }
  /** Nobody holds the part any more. */
  | { readonly type: 'gone'; readonly part: Part };

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
  /** Other threads may take portions of the read, of so much work in ms. */
  readonly wantsHelp?: number | undefined;
  readonly memory: ThreadMemory;
}

/** What a thread keeps of part files, in bytes. */
export interface ThreadMemory {
  readonly cacheBytes: number;
  readonly indexBytes: number;
}
