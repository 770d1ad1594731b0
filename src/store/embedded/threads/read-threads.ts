import { PitwallError } from '../../../errors.ts';
import { forgetThread, type QueryMemoryUse } from '../../../query/query-memory.ts';
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

/** To begin a thread takes 140 to 300 ms of a core. */
const worthBeginningMs = 500;

export function readThreads(options: ReadThreadsOptions): ReadThreads {
  const { left, explain, memoryUse, log } = options;
  const places = readPlaces(options.threads);
  const threads: (ReadThread | undefined)[] = new Array(options.threads).fill(undefined);
  let died = 0;
  let helped = 0;
  let isClosed = false;
  options.parts.whenGone((part) => {
    for (const thread of threads) thread?.gone(part);
  });

  function start(at: number): ReadThread {
    const { cacheBytes, indexBytes, maxFiles, maxQueryMs, sharedMs } = options;
    const place = at + 1;
    const thread = startReadThread({
      place,
      memoryUse,
      cacheBytes,
      indexBytes,
      maxFiles,
      maxQueryMs,
      sharedMs,
      onDied(cause) {
        if (threads[at] === thread) threads[at] = undefined;
        forgetThread(memoryUse, place);
        if (isClosed) return;
        died++;
        log.error(
          { error: cause?.message },
          'a read thread ended: its queries failed, the next begins it anew',
        );
      },
    });
    threads[at] = thread;
    return thread;
  }

  /** The end of the threads gives their places to reads that wait: these are not to begin others. */
  function throwIfClosed(): void {
    if (isClosed) throw new PitwallError('shutting_down');
  }

  /** Those on threads that run, or that are worth to be begun. */
  function idlePlaces(taken: readonly Place[], leftMs: number): HelperPlace[] {
    const found: HelperPlace[] = [];
    for (const place of taken) {
      const at = place.thread;
      if (threads[at] === undefined && (leftMs < worthBeginningMs || isClosed)) place.give();
      else
        found.push({
          thread() {
            const thread = threads[at] ?? start(at);
            helped++;
            return thread;
          },
          give: place.give,
        });
    }
    return found;
  }

  const sum = (of: (thread: ReadThread) => number): number =>
    threads.reduce((total, thread) => total + (thread === undefined ? 0 : of(thread)), 0);

  return {
    async answer({ request, isLong, bound, bind }, terms) {
      let held = bound;
      let place: Place | undefined;
      try {
        const taken = places.take(terms.owner, isLong, terms.signal);
        if (taken instanceof Promise) {
          held?.pinned.release();
          held = undefined;
          place = await taken;
        } else {
          place = taken;
        }
        terms.signal.throwIfAborted();
        throwIfClosed();
        if (held === undefined) {
          const binding = bind();
          held = binding instanceof Promise ? await binding : binding;
        }
        throwIfClosed();
        const { pinned, bound: streams } = held;
        const at = place.thread;
        const thread = threads[at] ?? start(at);
        const again = () => places.take(terms.owner, isLong, terms.signal, at);
        const turns = turnsOf(place, again);
        const findPlaces = (leftMs: number) => idlePlaces(places.takeIdle(terms.owner, isLong), leftMs);
        return threadedAnswer(
          thread,
          { request, streams },
          { terms, pinned, left, explain, turns, findPlaces },
        );
      } catch (error) {
        held?.pinned.release();
        place?.give();
        throw error;
      }
    },
    get state() {
      return {
        threads: options.threads,
        reading: places.taken,
        waiting: places.waiting,
        died,
        helped,
        cacheBytes: sum(({ memory }) => memory.cacheBytes),
        indexBytes: sum(({ memory }) => memory.indexBytes),
      };
    },
    async close() {
      isClosed = true;
      await Promise.all(threads.map((thread) => thread?.stop()));
    },
  };
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
