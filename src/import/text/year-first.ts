import type { SampledColumn } from './guess-day.ts';
import type { TimeDoubt } from './text-layout.ts';

const dateForm = /^\s*(\d\d)([-/.])(\d\d?)\2(\d\d)(?!\d)/;

/** Where dates of two digits each would be of one day in several years, their year stands first: the doubt about it. */
export function doubtOfYears({ column, cells }: SampledColumn): TimeDoubt | undefined {
  const firsts = new Set<string>();
  const lasts = new Set<string>();
  let shown = '';
  for (const cell of cells) {
    if (cell.trim() === '') continue;
    const [date, first, , , last] = dateForm.exec(cell) ?? [];
    if (date === undefined) return undefined;
    firsts.add(first!);
    lasts.add(last!);
    if (firsts.size > 1) return undefined;
    shown = date.trim();
  }
  if (lasts.size < 2) return undefined;
  const message = `the dates of ${column.header}, such as ${shown}, seem to have the year first; --time-format day-first takes the first number for the day, and years of four digits are plain`;
  return { message, proposed: undefined };
}
