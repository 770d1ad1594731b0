import type { FileBytes } from '../../../src/import/file-bytes.ts';
import { openText } from '../../../src/import/text/open-text.ts';
import { settleText, type TextSurvey } from '../../../src/import/text/survey-text.ts';
import type { TextColumn, TextLayout, TextSettings } from '../../../src/import/text/text-layout.ts';
import type { Reading } from './pace.ts';

/** A text file as it would be imported. */
export interface TextReview {
  /** What somebody set; the rest is guessed. */
  readonly settings: TextSettings;
  readonly layout: TextLayout;
  readonly survey: TextSurvey;
  /** The layout that the survey is of: every row was looked at with it. */
  readonly surveyed: TextLayout;
  /** Whether the file itself says when it begins, where its times need a start. */
  readonly hasStart: boolean;
}

/** Guesses how a text file is read, and looks at every row. Throws a TextFault. */
export async function reviewText(
  file: FileBytes,
  settings: TextSettings,
  { onBytes, pace }: Reading,
): Promise<TextReview> {
  const { start } = settings;
  const found = await openText(file, { ...settings, start: undefined }, pace);
  const opened = start === undefined ? found : { ...found, start, isStartKnown: true, startZone: undefined };
  const { survey, layout } = await settleText(file, opened, onBytes, { pace });
  return { settings, layout, survey, surveyed: layout, hasStart: found.isStartKnown };
}

/** A file that was read anew, with what somebody changed of its columns before: roles, names and units. */
export function withEdits(review: TextReview, before: TextReview): TextReview {
  const guessed = new Map(before.surveyed.columns.map((column) => [column.header, column]));
  const edited = new Map(
    before.layout.columns
      .filter((column) => column !== guessed.get(column.header))
      .map((column) => [column.header, column]),
  );
  const isTime = ({ role }: TextColumn) => role === 'time' || role === 'day';
  const columns = review.layout.columns.map((column) => {
    const own = edited.get(column.header);
    if (own === undefined || isTime(own) || isTime(column)) return column;
    return { ...column, role: own.role, name: own.name, unit: own.unit };
  });
  return edited.size === 0 ? review : { ...review, layout: { ...review.layout, columns } };
}

/** What keeps a layout from being used; undefined where nothing does. */
export function layoutProblem({ columns, timeDoubt }: TextLayout): string | undefined {
  if (timeDoubt !== undefined) return `Confirm "Time in": ${timeDoubt.message.replace(/; --.*/, '')}.`;
  const times = columns.filter(({ role }) => role === 'time').length;
  if (times !== 1) return 'One column has to be the time.';
  if (!columns.some(({ role }) => role === 'number' || role === 'text' || role === 'binary'))
    return 'At least one column has to be numbers or text.';
  const elsewhere = columns.find(({ role }) => role === 'stream' || role === 'topic');
  if (elsewhere !== undefined)
    return `${elsewhere.header} says which ${elsewhere.role} a row is of, and here all go to one: leave it out, make it a tag, or use pitwall import.`;
  for (const kind of ['number', 'text', 'tag', 'binary']) {
    const names = columns.filter(({ role }) => role === kind).map(({ name }) => name.trim());
    if (names.includes('')) return 'Every column that is not left out needs a name.';
    const seen = new Set<string>();
    for (const name of names) {
      if (seen.has(name)) return `Two columns are named ${name}.`;
      seen.add(name);
    }
  }
  return undefined;
}
