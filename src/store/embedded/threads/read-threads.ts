import { PitwallError } from '../../../errors.ts';
import { forgetThread, type QueryMemoryUse } from '../../../query/bounds/query-memory.ts';
import type { AnswerRequest, AnswerTerms, MadeAnswer } from '../../answers/answer.ts';
import type { ReadThreadsState } from '../../store.ts';
import type { StoreLog } from '../../store-log.ts';
import type { LeftSlabs } from '../log/left-slabs.ts';
import type { PartSet } from '../parts/part-set.ts';
import type { OwnQuestion } from '../read/own-questions.ts';
import type { AtMoment } from '../snapshot/bind-at-moment.ts';
import type { HelperPlace } from './helpers.ts';
import { type Place, readPlaces } from './places.ts';
import { type ReadThread, startReadThread } from './read-thread.ts';
import type { BoundPlan } from './sent-streams.ts';
import { type ReadTurns, threadedAnswer } from './threaded-answer.ts';

export interface ReadThreadsOptions {
  readonly threads: number;
  /** What each may keep of part files, and have open of them. */
  readonly cacheBytes: number;
  readonly indexBytes: number;
  readonly maxFiles: number;
  readonly maxQueryMs: number;
  /** Less work (ms) of an aggregation is not shared. */
  readonly sharedMs: number;
  /** With a place for the main thread, which is the first, and for each of these. */
  readonly memoryUse: QueryMemoryUse;
  readonly parts: Pick<PartSet, 'whenGone'>;
  readonly left: Pick<LeftSlabs, 'join'>;
  /** What a reader is told of an error. */
  readonly explain: (error: unknown) => unknown;
  readonly log: Pick<StoreLog, 'error'>;
}

/** A read for a thread. */
export interface QueuedRead {
  readonly request: AnswerRequest | OwnQuestion;
  readonly isLong: boolean;
  /** Its snapshot and the streams of its plans where they are known already. The read owns them. */
  readonly bound?: AtMoment<readonly BoundPlan[]>;
  /** Gives those of now: for a read that has none, or that had to wait. */
  readonly bind: () => AtMoment<readonly BoundPlan[]> | Promise<AtMoment<readonly BoundPlan[]>>;
}

/** Threads that read. Each begins with its first read; one that ends begins anew with the next. */
export interface ReadThreads {
  answer(read: QueuedRead, terms: AnswerTerms): Promise<MadeAnswer>;
  readonly state: ReadThreadsState;
  close(): Promise<void>;
}

/** The least work that is worth beginning a thread: that takes 140 to 300 ms of a core. */
const worthBeginningMs = 500;

export function readThreads(options: ReadThreadsOptions): ReadThreads {
  return new ThreadPool(options);
}

class ThreadPool implements ReadThreads {
  readonly #options: ReadThreadsOptions;
  /** Who reads when, and on which thread. */
  readonly #places;
  /** Undefined where one has not begun, or has died. */
  readonly #threads: (ReadThread | undefined)[];
  #died = 0;
  /** Aggregations that threads were asked to help with. */
  #helped = 0;
  #isClosed = false;

  constructor(options: ReadThreadsOptions) {
    this.#options = options;
    this.#places = readPlaces(options.threads);
    this.#threads = new Array(options.threads).fill(undefined);
    options.parts.whenGone((part) => {
      for (const thread of this.#threads) thread?.gone(part);
    });
  }

  readonly close = async (): Promise<void> => {
    this.#isClosed = true;
    await Promise.all(this.#threads.map((thread) => thread?.stop()));
  };

  async answer({ request, isLong, bound, bind }: QueuedRead, terms: AnswerTerms): Promise<MadeAnswer> {
    let held = bound;
    let place: Place | undefined;
    try {
      const taken = this.#places.take(terms.owner, isLong, terms.signal);
      if (taken instanceof Promise) {
        held?.pinned.release();
        held = undefined;
        place = await taken;
      } else {
        place = taken;
      }
      terms.signal.throwIfAborted();
      this.#throwIfClosed();
      if (held === undefined) {
        const binding = bind();
        held = binding instanceof Promise ? await binding : binding;
      }
      this.#throwIfClosed();
      const { pinned, bound: streams } = held;
      const at = place.thread;
      const thread = this.#threads[at] ?? this.#start(at);
      const again = () => this.#places.take(terms.owner, isLong, terms.signal, at);
      const turns = turnsOf(place, again);
      const findPlaces = (leftMs: number) =>
        this.#idlePlaces(this.#places.takeIdle(terms.owner, isLong), leftMs);
      return threadedAnswer(
        thread,
        { request, streams },
        { terms, pinned, left: this.#options.left, explain: this.#options.explain, turns, findPlaces },
      );
    } catch (error) {
      held?.pinned.release();
      place?.give();
      throw error;
    }
  }

  get state(): ReadThreadsState {
    return {
      threads: this.#options.threads,
      reading: this.#places.taken,
      waiting: this.#places.waiting,
      died: this.#died,
      helped: this.#helped,
      cacheBytes: this.#sum(({ memory }) => memory.cacheBytes),
      indexBytes: this.#sum(({ memory }) => memory.indexBytes),
    };
  }

  #start(at: number): ReadThread {
    const { cacheBytes, indexBytes, maxFiles, maxQueryMs, sharedMs } = this.#options;
    const place = at + 1;
    const thread = startReadThread({
      place,
      memoryUse: this.#options.memoryUse,
      cacheBytes,
      indexBytes,
      maxFiles,
      maxQueryMs,
      sharedMs,
      onDied: (cause) => {
        if (this.#threads[at] === thread) this.#threads[at] = undefined;
        forgetThread(this.#options.memoryUse, place);
        if (this.#isClosed) return;
        this.#died++;
        this.#options.log.error(
          { error: cause?.message },
          'a read thread ended: its queries failed, the next begins it anew',
        );
      },
    });
    this.#threads[at] = thread;
    return thread;
  }

  /** The end of the threads gives their places to reads that wait: these are not to begin others. */
  #throwIfClosed(): void {
    if (this.#isClosed) throw new PitwallError('shutting_down');
  }

  /** Those on threads that run, or that are worth to be begun. */
  #idlePlaces(taken: readonly Place[], leftMs: number): HelperPlace[] {
    const found: HelperPlace[] = [];
    for (const place of taken) {
      const at = place.thread;
      if (this.#threads[at] === undefined && (leftMs < worthBeginningMs || this.#isClosed)) place.give();
      else
        found.push({
          thread: () => {
            const thread = this.#threads[at] ?? this.#start(at);
            this.#helped++;
            return thread;
          },
          give: place.give,
        });
    }
    return found;
  }

  #sum(of: (thread: ReadThread) => number): number {
    return this.#threads.reduce((total, thread) => total + (thread === undefined ? 0 : of(thread)), 0);
  }
}

/** The turns of a read that begins with a place. */
function turnsOf(first: Place, again: () => Place | Promise<Place>): ReadTurns {
  let held: Place | undefined = first;
  let isOver = false;
  return {
    isHeld: () => held !== undefined,
    give() {
      held?.give();
      held = undefined;
    },
    async take() {
      const place = await again();
      if (isOver) place.give();
      else held = place;
    },
    end() {
      isOver = true;
      held?.give();
      held = undefined;
    },
  };
}
