import type { Reader, Store } from '../store.ts';
import type { AnswerRequest, AnswerTerms, MadeAnswer } from './answer.ts';
import { makeAnswer } from './make-answer.ts';

/** Makes an answer on this thread. */
export function answerHere(
  reads: Omit<Reader, 'catalog' | 'answer'>,
  request: AnswerRequest,
  terms: AnswerTerms,
): Promise<MadeAnswer> {
  const { signal, countRows } = terms;
  const reader = {
    run: (plan: Parameters<Store['run']>[0]) => reads.run(plan, signal, countRows),
    aggregate: (plan: Parameters<Store['aggregate']>[0]) => reads.aggregate(plan, signal, countRows),
    tagValues: (selection: Parameters<Store['tagValues']>[0], tag: string) =>
      reads.tagValues(selection, tag, signal, countRows),
    tagNames: (selection: Parameters<Store['tagNames']>[0]) => reads.tagNames(selection, signal, countRows),
  };
  return makeAnswer(request, reader, terms);
}
