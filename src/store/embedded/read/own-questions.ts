import type { Pace } from '../../../turns/pace.ts';
import type { OpenSnapshot, PinnedSnapshot } from '../snapshot/snapshot.ts';
import { type LostRows, type LostRowsQuestion, lostRows } from './lost-rows.ts';
import { type ExtentsQuestion, type FoundExtent, streamExtents } from './stream-extent.ts';

/** What the store asks itself after a delete. Questions and answers are plain data: they can be sent to a thread. */
export type OwnQuestion = LostRowsQuestion | ExtentsQuestion;

export type OwnAnswer<Question extends OwnQuestion> = Question extends LostRowsQuestion
  ? LostRows
  : readonly FoundExtent[];

/** Has a question answered, here or on a thread. The snapshot is held by whoever asks. */
export type AskOneself = <Question extends OwnQuestion>(
  pinned: PinnedSnapshot,
  question: Question,
  pace: Pace,
) => Promise<OwnAnswer<Question>>;

/** Whether the store itself asks. */
export function asksOneself(request: { readonly kind: string }): request is OwnQuestion {
  return request.kind === 'lostRows' || request.kind === 'extents';
}

/** Answers on this thread. */
export function answerOneself<Question extends OwnQuestion>(
  open: OpenSnapshot,
  question: Question,
  pace: Pace,
): Promise<OwnAnswer<Question>> {
  const answer =
    question.kind === 'lostRows' ? lostRows(open, question, pace) : streamExtents(open, question, pace);
  return answer as Promise<OwnAnswer<Question>>;
}
