import { wordsOfLog } from '../../../src/import/same-time/log-rows.ts';
import { type RowWords, restartProblem, sameTimeProblem } from '../../../src/import/same-time/notes.ts';
import type { SameTimeChoices } from '../../../src/import/same-time/stored-rows.ts';
import type { SeenTimes } from '../../../src/import/same-time/watch-times.ts';
import type { Opened } from './opened.ts';

/** What must be said of rows before a file is imported: what it is about, and what is so in the file. */
export interface MeetingQuestion {
  readonly about: keyof SameTimeChoices;
  readonly fact: string;
}

/** The question that is open, with what was chosen; undefined where none is. */
export function meetingQuestion(found: Opened, choices: SameTimeChoices): MeetingQuestion | undefined {
  const words = wordsOf(found);
  if (words === undefined) return undefined;
  const anew = restartProblem(words, choices);
  if (anew !== undefined) return { about: 'restarts', fact: anew };
  if (found.kind !== 'log' || found.met === undefined || choices.sameTime !== undefined) return undefined;
  const lost = sameTimeProblem(found.met, words);
  return lost === undefined ? undefined : { about: 'sameTime', fact: lost };
}

/** Undefined while something must be said of the file first. */
export function timesOf(found: Opened): SeenTimes | undefined {
  if (found.kind === 'table') return found.table?.times;
  return found.kind === 'text' ? found.review.survey.times : found.times;
}

function wordsOf(found: Opened): RowWords | undefined {
  if (found.kind === 'log') return wordsOfLog(found.log, found.times, false);
  const seen = timesOf(found);
  if (seen === undefined) return undefined;
  const [noun, start] =
    found.kind === 'text'
      ? (['line', found.review.layout.start] as const)
      : (['row', found.table!.time.start] as const);
  return { seen, noun, start, isJson: false, namesOptions: false };
}
