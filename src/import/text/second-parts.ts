import type { SampledColumn } from './guess-day.ts';
import type { TimeDoubt, TimeForm } from './text-layout.ts';
import { isUnitAlone, partOfSecond } from './time-names.ts';

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
  const isRepeated = new Set(cells).size < cells.length;
  const parts = columns.find(
    (one) => one.column.role === 'auto' && (hasParts(one) || (isRepeated && isFraction(one))),
  );
  if (parts === undefined) return undefined;
  const other = parts.column.header;
  const message = `the times of ${column.header} are whole seconds, and ${other} may be parts of them, which are not added; --time-format ${form} takes them without, --skip '${other}' leaves the column out`;
  return { message, proposed: form };
}

/** Whether a column is named like parts of a second and has no others. */
export function hasParts({ column, cells }: SampledColumn): boolean {
  const unit = partOfSecond(column.name);
  if (unit === undefined) return false;
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  return (
    filled.some((cell) => Number(cell) > 0) &&
    filled.every((cell) => /^\d{1,9}$/.test(cell) && Number(cell) < inSecond[unit])
  );
}

const fractionNames =
  /^(?:time[ _]?)?(?:frac(?:tions?)?(?: of (?:a )?seconds?)?|fractional ?(?:secs?|seconds?)?|(?:sub|split|part)[ _-]?secs?(?:onds?)?|tenths?|hundredths?|thousandths?|centi[ _]?secs?(?:onds?)?|cs)$/i;

/** Whether a column is named like a fraction of a second and has one in each cell. */
function isFraction({ column, cells }: SampledColumn): boolean {
  if (!fractionNames.test(column.name)) return false;
  const filled = cells.map((cell) => cell.trim().replace(',', '.')).filter((cell) => cell !== '');
  return (
    filled.some((cell) => Number(cell) > 0) && filled.every((cell) => /^(?:0?\.\d*|\d{1,9}|0)$/.test(cell))
  );
}

const largerNames =
  /^(?:hh|hours?|hrs?|stunden?|heures?|horas?|ore|min|mins|minutes?|minuten|minutos|minuti)$/i;
const smallerNames =
  /^(?:mm|min|mins|minutes?|minuten|minutos|minuti|ss|secs?|seconds?|sekunden?|segundos?|secondes?|secondi)$/i;

/** Where times are parts of clocks, whose other parts stand in columns of their own: the doubt about it. */
export function doubtOfClockParts(
  columns: readonly SampledColumn[],
  at: number,
  form: TimeForm,
): TimeDoubt | undefined {
  const { column, cells } = columns[at]!;
  const isLarge = form === 'h' || form === 'min';
  const isPart = isLarge || form === 's' ? isBelow(cells, 60) : hasParts(columns[at]!);
  if (!isPart || !isUnitAlone(column.name)) return undefined;
  const names = isLarge ? smallerNames : largerNames;
  const other = columns.find((one, i) => i !== at && names.test(one.column.name) && isBelow(one.cells, 60));
  if (other === undefined) return undefined;
  const message = `the times of ${column.header} are parts of clocks, whose other parts, such as ${other.column.header}, are not added; date and clock in one column are read, --time-format ${form} takes the parts alone`;
  return { message, proposed: form };
}

/** Whether cells are numbers from 0 to this. */
function isBelow(cells: readonly string[], most: number): boolean {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  return (
    filled.length > 0 &&
    filled.every((cell) => /^\d{1,2}(?:[.,]\d*)?$/.test(cell) && Number.parseFloat(cell) < most)
  );
}

const counted: readonly TimeForm[] = ['s', 'ms', 'us', 'ns'];

/**
 * Where times are a unit alone, such as `Millis`, and count from a start, though dates with clocks stand beside them: the
 * doubt about it.
 */
export function doubtOfCount(
  columns: readonly SampledColumn[],
  at: number,
  form: TimeForm,
  dated: number | undefined,
): TimeDoubt | undefined {
  const { header, name } = columns[at]!.column;
  if (dated === undefined || !counted.includes(form) || !isUnitAlone(name)) return undefined;
  const other = columns[dated]!.column.header;
  const message = `the times of ${header} count from a start, and those of ${other} have a date; --timestamp '${other}' takes these, --time-format ${form} takes ${header}`;
  return { message, proposed: form };
}
