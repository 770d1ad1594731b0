import { paceQuery } from '../../../query/bounds/pace.ts';
import type { Steps } from '../../../turns/steps.ts';
import {
  type AnswerRequest,
  type AnswerTerms,
  asksForTags,
  type MadeAnswer,
  type TagsRequest,
} from '../../answers/answer.ts';
import { answerHere } from '../../answers/answer-here.ts';
import { makeAnswer } from '../../answers/make-answer.ts';
import { streamsToRead } from '../catalog/select-streams.ts';
import { type BoundStreams, bindEach } from '../read/bind-streams.ts';
import type { BoundReads } from '../read/store-reads.ts';
import { type AtMoment, bindAtMoment, type Moments } from '../snapshot/bind-at-moment.ts';
import { isAlwaysLong, workOf } from './estimated-work.ts';
import type { ReadThreads } from './read-threads.ts';
import type { BoundPlan } from './sent-streams.ts';

export interface StoreAnswersOptions extends Moments {
  /** The reads of the main thread. */
  readonly reads: BoundReads;
  /** Undefined where the main thread reads all. */
  readonly threads: ReadThreads | undefined;
  /** The main thread does reads of so much estimated work itself, in microseconds. */
  readonly mostOfLittle: () => number;
  /** How long looking up streams may take. */
  readonly maxQueryMs: number;
}

/** Makes answers where that is best: little reads on the main thread at once, all others on read threads. */
export function storeAnswers(options: StoreAnswersOptions) {
  const { state, reads, threads, mostOfLittle, maxQueryMs } = options;
  return async (request: AnswerRequest, terms: AnswerTerms): Promise<MadeAnswer> => {
    if (threads === undefined) return answerHere(reads, request, terms);
    const now = <Bound>(begin: () => Steps<Bound>) =>
      bindAtMoment(options, begin, paceQuery(terms.signal, maxQueryMs).pace);
    if (asksForTags(request)) {
      const { workspace, streamIds, topic } = request.plans[0];
      const bind = () => now(() => selected(streamsToRead(state, workspace, streamIds, topic)));
      return threads.answer({ request, isLong: true, bind }, terms);
    }
    const { plans } = request;
    const bind = () => now(() => bindEach(state, plans));
    if (isAlwaysLong(request)) return threads.answer({ request, isLong: true, bind }, terms);
    const binding = bind();
    const bound = binding instanceof Promise ? await binding : binding;
    const work = workAt(request, bound, mostOfLittle());
    if (work === 'little') return answerBound(reads, request, bound, terms);
    return threads.answer({ request, isLong: work === 'long', bound, bind }, terms);
  };
}

/** How much the read has to do. An error lets go of the snapshot. */
function workAt(
  request: Exclude<AnswerRequest, TagsRequest>,
  { pinned, bound }: AtMoment<readonly BoundStreams[]>,
  mostOfLittle: number,
) {
  try {
    return workOf(request, bound, pinned, mostOfLittle);
  } catch (error) {
    pinned.release();
    throw error;
  }
}

function* selected(streams: Steps<Uint32Array<ArrayBuffer>>): Steps<BoundPlan[]> {
  return [yield* streams];
}

/** The same as `answerHere` for a request whose first plan is bound. Later plans are bound when their turn comes. */
async function answerBound(
  reads: BoundReads,
  request: Exclude<AnswerRequest, TagsRequest>,
  { pinned, bound }: AtMoment<readonly BoundStreams[]>,
  terms: AnswerTerms,
): Promise<MadeAnswer> {
  const { signal, countRows } = terms;
  const boundOf = (place: number) => (place === 0 ? { pinned, bound: bound[0]! } : undefined);
  try {
    // Little answers are read as a whole before their first chunk.
    return await makeAnswer(
      request,
      {
        run: (plan, place) => reads.run(plan, signal, countRows, boundOf(place)),
        aggregate: (plan, place) => reads.aggregate(plan, signal, countRows, boundOf(place)),
        tagValues: (selection, tag) => reads.tagValues(selection, tag, signal, countRows),
        tagNames: (selection) => reads.tagNames(selection, signal, countRows),
      },
      terms,
    );
  } finally {
    pinned.release();
  }
}
