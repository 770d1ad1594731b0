import { deserialize } from 'node:v8';
import { type ErrorCode, PitwallError } from '../../../errors.ts';
import { uncounted } from '../../../query/bounds/running-queries.ts';
import { neverAborted } from '../../../turns/pace.ts';
import { type AskOneself, answerOneself, type OwnAnswer, type OwnQuestion } from '../read/own-questions.ts';
import type { PinnedSnapshot } from '../snapshot/snapshot.ts';
import { manyStreams } from '../walk/walk-parts.ts';
import { isLittleQuestion } from './estimated-work.ts';
import type { ReadThreads } from './read-threads.ts';

export interface StoreQuestionsOptions {
  /** Undefined where the main thread reads all. */
  readonly threads: ReadThreads | undefined;
  /** The main thread answers what takes so long itself, in microseconds. */
  readonly mostOfLittle: () => number;
}

/** Answers what the store asks itself where that is best, as answers to clients are made. */
export function storeQuestions({ threads, mostOfLittle }: StoreQuestionsOptions): AskOneself {
  return async (pinned, question, pace) => {
    if (threads === undefined || isLittleQuestion(question, pinned, mostOfLittle()))
      return answerOneself(pinned, question, pace);
    try {
      return await askThread(threads, pinned, question);
    } catch (error) {
      // The delete is done: what is left to do does not depend on a thread.
      if (!(error instanceof PitwallError) || !ofThreads.has(error.code)) throw error;
      return answerOneself(pinned, question, pace);
    }
  };
}

const ofThreads: ReadonlySet<ErrorCode> = new Set(['read_interrupted', 'overloaded', 'shutting_down']);

async function askThread<Question extends OwnQuestion>(
  threads: ReadThreads,
  pinned: PinnedSnapshot,
  question: Question,
): Promise<OwnAnswer<Question>> {
  // Whoever asks holds it.
  const bound = { pinned: { ...pinned, release: () => undefined }, bound: [] };
  const isLong = question.streams.length >= manyStreams;
  const { chunks } = await threads.answer({ request: question, isLong, bound, bind: () => bound }, terms);
  const bytes: Uint8Array[] = [];
  for await (const chunk of chunks) bytes.push(chunk);
  return deserialize(Buffer.concat(bytes)) as OwnAnswer<Question>;
}

/** Nobody can end it, and it takes nothing from anybody. */
const terms = {
  signal: neverAborted,
  owner: '',
  countRows: uncounted,
  countAnswered: uncounted,
  take: () => undefined,
};
