import type { AnswerRequest, AnswerTerms, MadeAnswer } from '../../answers/answer.ts';
import { answerHere } from '../../answers/answer-here.ts';
import { makeAnswer } from '../../answers/make-answer.ts';
import type { CatalogState } from '../catalog/catalog-state.ts';
import { streamsToRead } from '../catalog/select-streams.ts';
import { type BoundStreams, bindStreams } from '../read/execute.ts';
import type { PinnedSnapshot } from '../read/snapshot.ts';
import type { BoundReads } from '../read/store-reads.ts';
import { isAlwaysLong, workOf } from './estimated-work.ts';
import type { ReadThreads } from './read-threads.ts';

export interface StoreAnswersOptions {
  readonly state: CatalogState;
  readonly takeSnapshot: () => PinnedSnapshot;
  /** Those of the main thread. */
  readonly reads: BoundReads;
  /** Undefined where the main thread reads all. */
  readonly threads: ReadThreads | undefined;
  /** The main thread does reads of so much estimated work itself, in microseconds. */
  readonly littleWork: number;
}

/** Makes answers where that is best: little reads on the main thread at once, all others on read threads. */
export function storeAnswers({ state, takeSnapshot, reads, threads, littleWork }: StoreAnswersOptions) {
  return (request: AnswerRequest, terms: AnswerTerms): Promise<MadeAnswer> => {
    if (threads === undefined) return answerHere(reads, request, terms);
    if (request.kind === 'tagValues') {
      const { workspace, streamIds, topic } = request.plans[0];
      const bind = () => [Uint32Array.from(streamsToRead(state, workspace, streamIds, topic))];
      return threads.answer({ request, isLong: true, bind }, terms);
    }
    const { plans } = request;
    const bindAll = () => plans.map((plan) => bindStreams(state, plan));
    if (isAlwaysLong(request)) return threads.answer({ request, isLong: true, bind: bindAll }, terms);
    const streams = bindAll();
    const pinned = takeSnapshot();
    const work = workOf(request, streams, pinned, littleWork);
    pinned.release();
    if (work !== 'little') {
      let isFresh = true;
      queueMicrotask(() => {
        isFresh = false;
      });
      const bind = () => (isFresh ? streams : bindAll());
      return threads.answer({ request, isLong: work === 'long', bind }, terms);
    }
    return answerBound(reads, request, streams, terms);
  };
}

/** The same as `answerHere` for plans whose streams are looked up. They hold for this turn: later plans look again. */
function answerBound(
  reads: BoundReads,
  request: Exclude<AnswerRequest, { kind: 'tagValues' }>,
  streams: readonly BoundStreams[],
  terms: AnswerTerms,
): Promise<MadeAnswer> {
  const { signal, countRows } = terms;
  const boundOf = (place: number) => (place === 0 ? streams[0] : undefined);
  return makeAnswer(
    request,
    {
      run: (plan, place) => reads.run(plan, signal, countRows, boundOf(place)),
      aggregate: (plan, place) => reads.aggregate(plan, signal, countRows, boundOf(place)),
      tagValues: (selection, tag) => reads.tagValues(selection, tag, signal, countRows),
    },
    terms,
  );
}
