import { latestStart } from '../../../src/import/logged-file.ts';
import { proposeStart } from '../../../src/import/propose-start.ts';
import { nsOfDay } from '../../../src/import/text/dates.ts';
import { isTimeOfDay } from '../../../src/import/text/text-layout.ts';
import { type Opened, spanOf } from './opened.ts';

/**
 * How somebody said when a recording began whose file does not say it: its last row is at the last change of the file; at
 * a time that was typed; or in 1970, as the numbers stand.
 */
export type StartAnswer = 'changed' | 'typed' | 'zero';

/** The end of 1970, ns: a recording that begins before it has no start of its own. */
const end1970 = 365n * 86_400_000_000_000n;

/** Whether times of a file count from a start that is not in it. */
export function lacksStart(opened: Opened): boolean {
  if (opened.kind === 'text') return !opened.review.hasStart;
  if (opened.kind === 'table') return !opened.hasStart;
  if (opened.log.isStartKnown === false) return true;
  const first = opened.span?.from ?? opened.log.start;
  return first >= 0n && first < end1970;
}

/** Whether the start can be set at all: times with a date have it in them. */
export function hasOwnDates(opened: Opened): boolean {
  if (opened.kind === 'log') return false;
  if (opened.kind === 'table') return opened.hasStart;
  const { timeForm, columns } = opened.review.layout;
  const isDate = ['iso', 'day-first', 'month-first', 'excel'].includes(timeForm);
  return isDate || columns.some(({ role }) => role === 'day');
}

/** What times count from as they are now. */
export function startOf(opened: Opened): bigint {
  return opened.kind === 'text' ? opened.review.layout.start : opened.start;
}

/**
 * The start that is proposed where the file does not say it.
 * @param changed of the file, ms since the Unix epoch
 * @param zoneShift of the zone of whoever looks, ms ahead of UTC
 */
export function proposedStart(opened: Opened, changed: number, zoneShift: number): bigint | undefined {
  const span = spanOf(opened);
  if (span === undefined) return undefined;
  const last = span.to - startOf(opened);
  // Clocks of such a log are UTC, those of a text are of whoever looks.
  if (opened.kind === 'log')
    return proposeStart({ last, isOfDay: opened.log.timeKind === 'clock' }, changed, 0);
  const isOfDay = opened.kind === 'text' && isTimeOfDay(opened.review.layout);
  return proposeStart({ last, isOfDay }, changed, zoneShift);
}

/** Why the times of a file cannot count from a start that was typed; undefined where they can. */
export function startProblem(opened: Opened, start: bigint | undefined): string | undefined {
  if (start === undefined || start > latestStart || start < -latestStart)
    return 'A time like 2026-05-31 12:30:00';
  const isOfDay = opened.kind === 'log' && opened.log.timeKind === 'clock';
  return isOfDay && start % nsOfDay !== 0n
    ? 'Its clocks are UTC: a midnight like 2026-05-31 00:00:00'
    : undefined;
}

/** The file with another start: its rows move by as much. */
export function withStart<File extends Opened>(opened: File, start: bigint): File {
  if (opened.kind !== 'text') return { ...opened, start };
  const { review } = opened;
  const by = start - review.layout.start;
  const moved = (time: bigint | undefined) => (time === undefined ? undefined : time + by);
  const layout = { ...review.layout, start, isStartKnown: true };
  return {
    ...opened,
    review: {
      ...review,
      settings: { ...review.settings, start },
      layout,
      // Which rows are right does not depend on the start.
      surveyed: review.surveyed === review.layout ? layout : { ...review.surveyed, start },
      survey: { ...review.survey, from: moved(review.survey.from), to: moved(review.survey.to) },
    },
  };
}
