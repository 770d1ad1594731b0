import { timeFormText } from '../../../src/import/text/map-rows.ts';
import { textNotes as notesOfText } from '../../../src/import/text/text-notes.ts';
import { count } from './count.ts';
import type { Item } from './item.ts';
import type { Opened, OpenedText } from './opened.ts';
import { hasOwnDates, lacksStart, type StartAnswer, startOf } from './start.ts';
import { startText } from './start-text.ts';

/**
 * What was guessed, left out or replaced of a file that is in.
 * @param sent what became of its rows
 */
export function notesOf({ opened, startAnswer }: Item, sent: readonly string[]): string[] {
  const found = opened.value;
  if (found === undefined) return [];
  const start = [...sent.map(asSentence), ...startNote(found, startAnswer.value)];
  if (found.kind === 'text') return [...start, ...textNotes(found)];
  if (found.kind === 'table') {
    // What the start is says the note above.
    const notes = (found.table?.notes ?? []).map((note) => note.replace(/ from 1970-01-01T00:00:00\S*Z/, ''));
    return [...start, ...notes.map(asSentence)];
  }
  const { notes = [], leftOut } = found.log;
  const left = leftOut.length > 0 ? [`Not read: ${leftOut.join(', ')}.`] : [];
  return [...start, ...notes.map(asSentence), ...left];
}

const answers: Readonly<Record<StartAnswer, string>> = {
  changed: 'as proposed: the file does not say it, and its last row is at its last change',
  typed: 'as you said',
  zero: 'as the numbers stand',
};

function startNote(found: Opened, answer: StartAnswer | undefined): string[] {
  if (hasOwnDates(found)) return [];
  const why = answer ?? (lacksStart(found) ? 'zero' : undefined);
  const from = why === undefined ? '' : ` (${answers[why]})`;
  return startOf(found) === 0n && why === undefined
    ? []
    : [`Counted from ${startText(startOf(found))} UTC${from}.`];
}

function textNotes({ review: { layout, survey } }: OpenedText): string[] {
  const { columns, timeForm, isExport } = layout;
  const notes: string[] = [];
  if (survey.faults > 0) notes.push(`${count(survey.faults)} with faults left out.`);
  notes.push(...notesOfText(layout, survey).map(asSentence));
  if (isExport) return notes;
  const time = columns.find(({ role }) => role === 'time');
  if (time !== undefined) notes.push(`Times of ${time.header}: ${timeFormText[timeForm]}.`);
  const empty = columns.filter(
    ({ role }, i) => role === 'skip' && survey.facts[i]?.counts.empty === survey.rows,
  );
  if (empty.length > 0) notes.push(`Left out, being empty: ${empty.map(({ header }) => header).join(', ')}.`);
  return notes;
}

function asSentence(note: string): string {
  return `${note.charAt(0).toUpperCase()}${note.slice(1)}${/[.!?]$/.test(note) ? '' : '.'}`;
}
