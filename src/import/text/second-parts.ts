import type { SampledColumn } from './guess-day.ts';
import type { TimeDoubt, TimeForm } from './text-layout.ts';
import { partOfSecond } from './time-names.ts';

/** So many make a second. */
const inSecond = { ms: 1e3, us: 1e6, ns: 1e9 } as const;
/** A clock, or a number, with parts of a second. */
const partsForm = /:\d\d(?:[.,]|:\d\d:)\d|^\s*[-+]?\d*[.,]\d*[1-9]/;
const forms: readonly TimeForm[] = ['iso', 'day-first', 'month-first', 'clock', 's'];

/** Where times are whole seconds, and a column such as `ms` may have their parts: the doubt about it. */
export function doubtOfParts(
  columns: readonly SampledColumn[],
  at: number,
  form: TimeForm,
): TimeDoubt | undefined {
  const { column, cells } = columns[at]!;
  if (!forms.includes(form) || cells.some((cell) => partsForm.test(cell))) return undefined;
  const parts = columns.find((one) => one.column.role === 'auto' && hasParts(one));
  if (parts === undefined) return undefined;
  const other = parts.column.header;
  const message = `the times of ${column.header} are whole seconds, and ${other} may be parts of them, which are not added; --time-format ${form} takes them without, --skip '${other}' leaves the column out`;
  return { message, proposed: form };
}

function hasParts({ column, cells }: SampledColumn): boolean {
  const unit = partOfSecond(column.name);
  if (unit === undefined) return false;
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  return (
    filled.some((cell) => Number(cell) > 0) &&
    filled.every((cell) => /^\d{1,9}$/.test(cell) && Number(cell) < inSecond[unit])
  );
}
