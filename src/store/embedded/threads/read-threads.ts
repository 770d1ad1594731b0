import { forgetThread, type QueryMemoryUse } from '../../../query/query-memory.ts';
import type { AnswerRequest, AnswerTerms, MadeAnswer } from '../../answers/answer.ts';
import type { ReadThreadsState } from '../../store.ts';
import type { StoreLog } from '../../store-log.ts';
import type { LeftSlabs } from '../log/left-slabs.ts';
import type { PartSet } from '../parts/part-set.ts';
import type { PinnedSnapshot } from '../read/snapshot.ts';
import type { BoundPlan } from './messages.ts';
import { type Place, readPlaces } from './places.ts';
import { type ReadThread, startReadThread } from './read-thread.ts';
import { type ReadTurns, threadedAnswer } from './threaded-answer.ts';

export interface ReadThreadsOptions {
  readonly threads: number;
  /** What each may keep of part files, and have open of them. */
  readonly cacheBytes: number;
  readonly indexBytes: number;
  readonly maxFiles: number;
  readonly maxQueryMs: number;
  /** With a place for the main thread, which is the first, and for each of these. */
  readonly memoryUse: QueryMemoryUse;
  readonly parts: Pick<PartSet, 'whenGone'>;
  readonly takeSnapshot: () => PinnedSnapshot;
  readonly left: Pick<LeftSlabs, 'join'>;
  /** What a reader is told of an error. */
  readonly explain: (error: unknown) => unknown;
  readonly log: Pick<StoreLog, 'error'>;
}

/** A read for a thread. */
export interface QueuedRead {
  readonly request: AnswerRequest;
  readonly isLong: boolean;
  /** Looks up the streams of its plans, in the turn in which its snapshot is taken. */
  readonly bind: () => readonly BoundPlan[];
}

/** Threads that read. Each begins with its first read; one that ends begins anew with the next. */
export interface ReadThreads {
  answer(read: QueuedRead, terms: AnswerTerms): Promise<MadeAnswer>;
  readonly state: ReadThreadsState;
  close(): Promise<void>;
}

export function readThreads(options: ReadThreadsOptions): ReadThreads {
  const { takeSnapshot, left, explain, memoryUse, log } = options;
  const places = readPlaces(options.threads);
  const threads: (ReadThread | undefined)[] = new Array(options.threads).fill(undefined);
  let died = 0;
  let isClosed = false;
  options.parts.whenGone((part) => {
    for (const thread of threads) thread?.gone(part);
  });

  function start(at: number): ReadThread {
    const { cacheBytes, indexBytes, maxFiles, maxQueryMs } = options;
    const place = at + 1;
    const thread = startReadThread({
      place,
      memoryUse,
      cacheBytes,
      indexBytes,
      maxFiles,
      maxQueryMs,
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

  const sum = (of: (thread: ReadThread) => number): number =>
    threads.reduce((total, thread) => total + (thread === undefined ? 0 : of(thread)), 0);

  return {
    async answer({ request, isLong, bind }, terms) {
      const taken = places.take(terms.owner, isLong, terms.signal);
      const place = taken instanceof Promise ? await taken : taken;
      let pinned: PinnedSnapshot | undefined;
      try {
        terms.signal.throwIfAborted();
        const streams = bind();
        pinned = takeSnapshot();
        const thread = threads[place.thread] ?? start(place.thread);
        const again = () => places.take(terms.owner, isLong, terms.signal, place.thread);
        const turns = turnsOf(place, again);
        return threadedAnswer(thread, { request, streams }, { terms, pinned, left, explain, turns });
      } catch (error) {
        pinned?.release();
        place.give();
        throw error;
      }
    },
    get state() {
      return {
        threads: options.threads,
        reading: places.taken,
        waiting: places.waiting,
        died,
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
    get isHeld() {
      return held !== undefined;
    },
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
