import { type MessagePort, type Transferable, Worker } from 'node:worker_threads';
import { PitwallError } from '../../../errors.ts';
import { paceReads } from '../../../query/pace.ts';
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

/** Reads of a thread, with those that wait for their clients; more are refused. */
const slots = 4096;
/** The longest single search for a pattern takes half a second. */
const defaultStuckMs = 5000;
const defaultProgram = new URL('./read-worker.js', import.meta.url);

interface Running {
  readonly slot: number;
  readonly listener: ReadListener;
  stuck: NodeJS.Timeout | undefined;
  /** Whether the thread has said something of it since it was last asked to end it. */
  isAlive: boolean;
}

export function startReadThread({
  onDied,
  program = defaultProgram,
  stuckMs = defaultStuckMs,
  ...data
}: ReadThreadOptions): ReadThread {
  const ended = new Int32Array(new SharedArrayBuffer(4 * slots));
  const free = Array.from({ length: slots }, (_, slot) => slot);
  const running = new Map<number, Running>();
  /** Numbers of parts that it knows of. */
  const told = new Set<number>();
  const updateOf = snapshotTeller();
  const workerData: ThreadData = { ...data, ended };
  const worker = new Worker(program, { workerData });
  let nextId = 1;
  let memory: ThreadMemory = { cacheBytes: 0, indexBytes: 0 };
  let cause: Error | undefined;
  let isStuck = false;

  function post(message: ToThread, given: readonly Transferable[] = []): void {
    worker.postMessage(message, given);
  }

  function finish(id: number, { slot, stuck }: Running): void {
    clearTimeout(stuck);
    running.delete(id);
    free.push(slot);
    if (running.size === 0) worker.unref();
  }

  /** What the thread says to this may be from before: it is asked again for as long as the read is there. */
  function askToEnd(id: number, read: Running): void {
    read.isAlive = false;
    post({ type: 'end', id });
    read.stuck = setTimeout(() => {
      if (read.isAlive) return askToEnd(id, read);
      isStuck = true;
      void worker.terminate();
    }, stuckMs).unref();
  }

  worker.unref();
  worker.on('message', (message: FromThread) => {
    memory = message.memory;
    const read = running.get(message.id);
    if (read === undefined) return;
    read.isAlive = true;
    if (message.end !== undefined) finish(message.id, read);
    read.listener.told(message);
  });
  worker.on('error', (error: Error) => {
    cause = error;
  });
  // What is lost with a message nobody knows: a read may wait for it for ever.
  worker.on('messageerror', (error: Error) => {
    cause = error;
    void worker.terminate();
  });
  worker.on('exit', () => {
    onDied(cause ?? (isStuck ? new Error('it did not notice that a read had ended') : undefined));
    for (const [id, read] of running) {
      finish(id, read);
      read.listener.died();
    }
  });

  return {
    begin(asked, listener) {
      const slot = free.pop();
      if (slot === undefined)
        throw new PitwallError('overloaded', { detail: 'too many reads wait for their clients' });
      const id = nextId++;
      Atomics.store(ended, slot, 0);
      const read: Running = { slot, listener, stuck: undefined, isAlive: false };
      running.set(id, read);
      const update = () => {
        const changes = updateOf(asked.snapshot);
        for (const { record } of changes.parts?.added ?? []) told.add(record.number);
        return changes;
      };
      const send = ({ request, streams }: ThreadRead, names: readonly SentNames[]) => {
        const snapshot = update();
        const { plans, given } = sentPlans(streams);
        post({ type: 'read', id, slot, request, plans, names, snapshot }, given);
      };
      /** The names of very many streams first, at a pace; where the read has ended meanwhile, no more. */
      const sendAtPace = async (sent: ThreadRead) => {
        const pace = paceReads({ throwIfAborted: () => undefined });
        const isOver = () => running.get(id) !== read || Atomics.load(ended, slot) !== 0;
        for (const names of namesOf(sent.streams)) {
          post({ type: 'names', id, names });
          const turn = pace();
          if (turn !== undefined) await turn;
          if (isOver()) return;
        }
        send(sent, []);
      };
      // Only while it reads does the process wait for it.
      worker.ref();
      try {
        if ('port' in asked) {
          const { port } = asked;
          post({ type: 'help', id, slot, snapshot: update(), port }, [port]);
        } else if (countNames(asked.streams) <= namesOfMessage) send(asked, [...namesOf(asked.streams)]);
        else
          sendAtPace(asked).catch(() => {
            if (running.get(id) !== read) return;
            finish(id, read);
            post({ type: 'end', id });
            listener.died();
          });
      } catch (error) {
        finish(id, read);
        throw error;
      }
      return {
        taken(bytes) {
          if (running.has(id)) post({ type: 'taken', id, bytes });
        },
        helper(port) {
          if (running.has(id)) post({ type: 'helper', id, port }, [port]);
          else port.close();
        },
        end() {
          if (running.get(id) !== read || Atomics.exchange(ended, slot, 1) !== 0) return;
          askToEnd(id, read);
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
      const message: ToThread = { type: 'stop' };
      await stopWorker(worker, message, stuckMs);
    },
  };
}
