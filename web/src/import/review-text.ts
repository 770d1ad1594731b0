import type { FileBytes } from '../../../src/import/file-bytes.ts';
import { openText } from '../../../src/import/text/open-text.ts';
import { settleColumns, surveyText, type TextSurvey } from '../../../src/import/text/survey-text.ts';
import type { TextLayout, TextSettings } from '../../../src/import/text/text-layout.ts';
import type { Reading } from './pace.ts';

/** A text file as it would be imported. */
export interface TextReview {
  /** What somebody set; the rest is guessed. */
  readonly settings: TextSettings;
  readonly layout: TextLayout;
  readonly survey: TextSurvey;
  /** The layout that the survey is of: every row was looked at with it. */
  readonly surveyed: TextLayout;
}

/** Guesses how a text file is read, and looks at every row. Throws a TextFault. */
export async function reviewText(
  file: FileBytes,
  settings: TextSettings,
  { onBytes, pace }: Reading,
): Promise<TextReview> {
  const opened = await openText(file, settings, pace);
  const survey = await surveyText(file, opened, onBytes, { pace });
  const layout = settleColumns(opened, survey);
  return { settings, layout, survey, surveyed: layout };
}

/** What keeps a layout from being used; undefined where nothing does. */
export function layoutProblem({ columns }: TextLayout): string | undefined {
  const times = columns.filter(({ role }) => role === 'time').length;
  if (times !== 1) return 'One column has to be the time.';
  if (!columns.some(({ role }) => role === 'number' || role === 'text'))
    return 'At least one column has to be numbers or text.';
  for (const kind of ['number', 'text', 'tag']) {
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
