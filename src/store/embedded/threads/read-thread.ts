import { Worker } from 'node:worker_threads';
import { PitwallError } from '../../../errors.ts';
import type { AnswerRequest } from '../../answers/answer.ts';
import type { Part } from '../parts/part-readers.ts';
import type { Snapshot } from '../read/snapshot.ts';
import type { BoundPlan, FromThread, ThreadData, ThreadMemory, ToThread } from './messages.ts';
import { snapshotTeller } from './snapshot-update.ts';

/** A thread that reads, as the main thread has it. */
export interface ReadThread {
  /**
   * Begins a read. `listener` is told what it does, until its last message or the end of the thread. Throws `overloaded`
   * where it has too many.
   */
  begin(read: ThreadRead, listener: ReadListener): BegunRead;
  /** Nobody holds the part any more. */
  gone(part: Part): void;
  readonly memory: ThreadMemory;
  /** Ends it with all its reads. */
  stop(): Promise<void>;
}

export interface ThreadRead {
  readonly request: AnswerRequest;
  readonly streams: readonly BoundPlan[];
  readonly snapshot: Snapshot;
}

export interface ReadListener {
  told(message: FromThread): void;
  /** The thread has ended. */
  died(): void;
}

export interface BegunRead {
  /** So many bytes of its chunks have left. */
  taken(bytes: number): void;
  /**
   * Ends it: its thread says so with the last message. A thread that shows no life, because it is stuck in a single step,
   * is stopped.
   */
  end(): void;
}

export interface ReadThreadOptions extends Omit<ThreadData, 'ended'> {
  /** @param cause undefined where somebody stopped it */
  readonly onDied: (cause: Error | undefined) => void;
}

/** Reads of a thread, with those that wait for their clients; more are refused. */
const slots = 4096;
/** So long a thread may take to notice that a read has ended: the longest single search for a pattern takes half a second. */
const stuckMs = 5000;

interface Running {
  readonly slot: number;
  readonly listener: ReadListener;
  stuck: NodeJS.Timeout | undefined;
}

export function startReadThread({ onDied, ...data }: ReadThreadOptions): ReadThread {
  const ended = new Int32Array(new SharedArrayBuffer(4 * slots));
  const free = Array.from({ length: slots }, (_, slot) => slot);
  const running = new Map<number, Running>();
  /** Numbers of parts that it knows of. */
  const told = new Set<number>();
  const updateOf = snapshotTeller();
  const workerData: ThreadData = { ...data, ended };
  const worker = new Worker(new URL('./read-worker.js', import.meta.url), { workerData });
  let nextId = 1;
  let memory: ThreadMemory = { cacheBytes: 0, indexBytes: 0 };
  let cause: Error | undefined;
  let isStuck = false;

  function post(message: ToThread): void {
    worker.postMessage(message);
  }

  function finish(id: number, { slot, stuck }: Running): void {
    clearTimeout(stuck);
    running.delete(id);
    free.push(slot);
    if (running.size === 0) worker.unref();
  }

  worker.unref();
  worker.on('message', (message: FromThread) => {
    memory = message.memory;
    const read = running.get(message.id);
    if (read === undefined) return;
    clearTimeout(read.stuck);
    if (message.end !== undefined) finish(message.id, read);
    read.listener.told(message);
  });
  worker.on('error', (error: Error) => {
    cause = error;
  });
  worker.on('exit', () => {
    onDied(cause ?? (isStuck ? new Error('it did not notice that a read had ended') : undefined));
    for (const [id, read] of running) {
      finish(id, read);
      read.listener.died();
    }
  });

  return {
    begin({ request, streams, snapshot }, listener) {
      const slot = free.pop();
      if (slot === undefined)
        throw new PitwallError('overloaded', { detail: 'too many reads wait for their clients' });
      const id = nextId++;
      Atomics.store(ended, slot, 0);
      const read: Running = { slot, listener, stuck: undefined };
      running.set(id, read);
      const update = updateOf(snapshot);
      for (const { record } of update.parts?.added ?? []) told.add(record.number);
      // Only while it reads does the process wait for it.
      worker.ref();
      try {
        post({ type: 'read', id, slot, request, streams, snapshot: update });
      } catch (error) {
        finish(id, read);
        throw error;
      }
      return {
        taken(bytes) {
          if (running.has(id)) post({ type: 'taken', id, bytes });
        },
        end() {
          if (running.get(id) !== read || Atomics.exchange(ended, slot, 1) !== 0) return;
          post({ type: 'end', id });
          read.stuck = setTimeout(() => {
            isStuck = true;
            void worker.terminate();
          }, stuckMs).unref();
        },
      };
    },
    gone(part) {
      if (told.delete(part.record.number)) post({ type: 'gone', part });
    },
    get memory() {
      return memory;
    },
    async stop() {
      await worker.terminate();
    },
  };
}
