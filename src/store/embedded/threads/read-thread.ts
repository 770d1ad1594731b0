import { type MessagePort, type Transferable, Worker } from 'node:worker_threads';
import { PitwallError } from '../../../errors.ts';
import { paceReads } from '../../../query/bounds/pace.ts';
import type { AnswerRequest } from '../../answers/answer.ts';
import type { Part } from '../parts/part-readers.ts';
import type { OwnQuestion } from '../read/own-questions.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { FromThread, ThreadData, ThreadMemory, ToThread } from './messages.ts';
import {
  type BoundPlan,
  countNames,
  namesOf,
  namesOfMessage,
  type SentNames,
  sentPlans,
} from './sent-streams.ts';
import { snapshotTeller } from './snapshot-update.ts';
import { stopWorker } from './stop-worker.ts';

/** A thread that reads, as the main thread has it. */
export interface ReadThread {
  /**
   * Begins a read. `listener` is told what it does, until its last message or the end of the thread. Throws `overloaded`
   * where it has too many.
   */
  begin(read: ThreadRead | ThreadHelp, listener: ReadListener): BegunRead;
  /** Nobody holds the part any more. */
  gone(part: Part): void;
  readonly memory: ThreadMemory;
  /** Ends it with all its reads. */
  stop(): Promise<void>;
}

export interface ThreadRead {
  readonly request: AnswerRequest | OwnQuestion;
  /** Used up by being sent. */
  readonly streams: readonly BoundPlan[];
  readonly snapshot: Snapshot;
}

/** Portions of a read of another thread. */
export interface ThreadHelp {
  readonly snapshot: Snapshot;
  /** Through which they come. */
  readonly port: MessagePort;
}

export interface ReadListener {
  told(message: FromThread): void;
  /** The thread has ended. */
  died(): void;
}

export interface BegunRead {
  /** So many bytes of its chunks have left. */
  taken(bytes: number): void;
  /** Another thread takes portions of it through this port. */
  helper(port: MessagePort): void;
  /**
   * Ends it: its thread says so with the last message. A thread that shows no life, because it is stuck in a single step,
   * is stopped.
   */
  end(): void;
}

export interface ReadThreadOptions extends Omit<ThreadData, 'ended'> {
  /** What the thread runs; read-worker.ts without it. */
  readonly program?: URL;
  /** So long (ms) a thread may show no life while a read is to end; 5000 by default. */
  readonly stuckMs?: number;
  /** @param cause undefined where somebody stopped it */
  readonly onDied: (cause: Error | undefined) => void;
}

/** The most reads of a thread, with those that wait for their clients; more are refused. */
const slots = 4096;
/** The longest single search for a pattern takes half a second. */
const defaultStuckMs = 5000;
const defaultProgram = new URL('./read-worker.js', import.meta.url);

export function startReadThread(options: ReadThreadOptions): ReadThread {
  return new StartedThread(options);
}

class StartedThread implements ReadThread {
  readonly #worker: Worker;
  readonly #stuckMs: number;
  /** By slot: 1 where the read that has it is to end. Shared with the thread. */
  readonly #ended = new Int32Array(new SharedArrayBuffer(4 * slots));
  readonly #freeSlots = Array.from({ length: slots }, (_, slot) => slot);
  readonly #running = new Map<number, Running>();
  /** Numbers of parts that it knows of. */
  readonly #told = new Set<number>();
  readonly #updateOf = snapshotTeller();
  #nextId = 1;
  #memory: ThreadMemory = { cacheBytes: 0, indexBytes: 0 };
  /** Why it has ended, or ends. */
  #cause: Error | undefined;

  constructor({ onDied, program = defaultProgram, stuckMs = defaultStuckMs, ...data }: ReadThreadOptions) {
    this.#stuckMs = stuckMs;
    const workerData: ThreadData = { ...data, ended: this.#ended };
    this.#worker = new Worker(program, { workerData });
    this.#worker.unref();
    this.#worker.on('message', this.#heard);
    this.#worker.on('error', (error: Error) => {
      this.#cause = error;
    });
    // What is lost with a message nobody knows: a read may wait for it for ever.
    this.#worker.on('messageerror', this.#terminate);
    this.#worker.on('exit', () => {
      onDied(this.#cause);
      for (const read of this.#running.values()) {
        this.#finish(read);
        read.listener.died();
      }
    });
  }

  get memory(): ThreadMemory {
    return this.#memory;
  }

  begin(asked: ThreadRead | ThreadHelp, listener: ReadListener): BegunRead {
    const slot = this.#freeSlots.pop();
    if (slot === undefined)
      throw new PitwallError('overloaded', { detail: 'too many reads wait for their clients' });
    const read: Running = { id: this.#nextId++, slot, listener, stuck: undefined, isAlive: false };
    Atomics.store(this.#ended, slot, 0);
    this.#running.set(read.id, read);
    // Only while it reads does the process wait for it.
    this.#worker.ref();
    try {
      this.#ask(read, asked);
    } catch (error) {
      this.#finish(read);
      throw error;
    }
    const { id } = read;
    return {
      taken: (bytes) => {
        if (this.#running.has(id)) this.#post({ type: 'taken', id, bytes });
      },
      helper: (port) => {
        if (this.#running.has(id)) this.#post({ type: 'helper', id, port }, [port]);
        else port.close();
      },
      end: () => {
        if (!this.#running.has(id) || Atomics.exchange(this.#ended, slot, 1) !== 0) return;
        this.#askToEnd(read);
      },
    };
  }

  gone(part: Part): void {
    if (this.#told.delete(part.record.number)) this.#post({ type: 'gone', part });
  }

  async stop(): Promise<void> {
    const message: ToThread = { type: 'stop' };
    await stopWorker(this.#worker, message, this.#stuckMs);
  }

  readonly #heard = (message: FromThread): void => {
    this.#memory = message.memory;
    const read = this.#running.get(message.id);
    if (read === undefined) return;
    read.isAlive = true;
    if (message.end !== undefined) this.#finish(read);
    read.listener.told(message);
  };

  readonly #terminate = (cause: Error): void => {
    this.#cause ??= cause;
    void this.#worker.terminate();
  };

  #post(message: ToThread, given: readonly Transferable[] = []): void {
    this.#worker.postMessage(message, given);
  }

  #ask(read: Running, asked: ThreadRead | ThreadHelp): void {
    const { id, slot } = read;
    if ('port' in asked) {
      const { port, snapshot } = asked;
      this.#post({ type: 'help', id, slot, snapshot: this.#updated(snapshot), port }, [port]);
    } else if (countNames(asked.streams) <= namesOfMessage)
      this.#send(read, asked, [...namesOf(asked.streams)]);
    else
      this.#sendAtPace(read, asked).catch(() => {
        if (!this.#running.has(id)) return;
        this.#finish(read);
        this.#post({ type: 'end', id });
        read.listener.died();
      });
  }

  /** The names of very many streams first, at a pace; where the read has ended meanwhile, no more. */
  async #sendAtPace(read: Running, sent: ThreadRead): Promise<void> {
    const { id, slot } = read;
    const pace = paceReads({ throwIfAborted: () => undefined });
    for (const names of namesOf(sent.streams)) {
      this.#post({ type: 'names', id, names });
      const turn = pace();
      if (turn !== undefined) await turn;
      if (!this.#running.has(id) || Atomics.load(this.#ended, slot) !== 0) return;
    }
    this.#send(read, sent, []);
  }

  #send(
    { id, slot }: Running,
    { request, streams, snapshot }: ThreadRead,
    names: readonly SentNames[],
  ): void {
    const update = this.#updated(snapshot);
    const { plans, given } = sentPlans(streams);
    this.#post({ type: 'read', id, slot, request, plans, names, snapshot: update }, given);
  }

  /** What the thread has to be told so that it has the snapshot. */
  #updated(snapshot: Snapshot) {
    const changes = this.#updateOf(snapshot);
    for (const { record } of changes.parts?.added ?? []) this.#told.add(record.number);
    return changes;
  }

  /** What the thread says to this may be from before: it is asked again for as long as the read is there. */
  #askToEnd(read: Running): void {
    read.isAlive = false;
    this.#post({ type: 'end', id: read.id });
    read.stuck = setTimeout(() => {
      if (read.isAlive) this.#askToEnd(read);
      else this.#terminate(new Error('it did not notice that a read had ended'));
    }, this.#stuckMs).unref();
  }

  #finish({ id, slot, stuck }: Running): void {
    clearTimeout(stuck);
    this.#running.delete(id);
    this.#freeSlots.push(slot);
    if (this.#running.size === 0) this.#worker.unref();
  }
}

interface Running {
  readonly id: number;
  readonly slot: number;
  readonly listener: ReadListener;
  stuck: NodeJS.Timeout | undefined;
  /** Whether the thread has said something of it since it was last asked to end it. */
  isAlive: boolean;
}
