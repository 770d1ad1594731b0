import { clockOf, clockProblem, compactClockOf, type DateOrder, momentOf, readMoment } from './dates.ts';
import { plainDigits, spelledNumber } from './odd-numbers.ts';
import type { TimeForm } from './text-layout.ts';

const least = -(2n ** 63n);
const most = 2n ** 63n - 1n;

const units: Readonly<Partial<Record<TimeForm, bigint>>> = {
  h: 3_600_000_000_000n,
  min: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1000n,
  ns: 1n,
};

/**
 * A time in nanoseconds since the Unix epoch; the start is added to clocks and numbers. Undefined where the text is no
 * such time or is out of the range of 64 bits. Times without a zone are UTC; what is finer than a nanosecond is rounded.
 */
export function timeOfCell(text: string, form: TimeForm, start: bigint): bigint | undefined {
  const time = timeOf(text.trim(), form, start);
  return time === undefined || time < least || time > most ? undefined : time;
}

/** Why a cell that looks like a time of this form is none; undefined where it does not. */
export function timeProblem(text: string, form: TimeForm): string | undefined {
  if (form === 'clock') return clockProblem(text);
  if (form !== 'iso' && form !== 'day-first' && form !== 'month-first') return undefined;
  const read = readMoment(text, form === 'iso' ? undefined : form);
  return read !== undefined && 'problem' in read ? read.problem : undefined;
}

function timeOf(text: string, form: TimeForm, start: bigint): bigint | undefined {
  switch (form) {
    case 'iso':
      return momentOf(text, undefined)?.time;
    case 'day-first':
    case 'month-first':
      return momentOf(text, form)?.time;
    case 'excel':
      return excelTime(text);
    default: {
      const passed =
        form === 'clock'
          ? clockOf(text)
          : form === 'hhmmss'
            ? compactClockOf(text)
            : decimalOf(text, units[form]!);
      return passed === undefined ? undefined : start + passed;
    }
  }
}

/** Whether a cell that is a time of this form says by how much its clock is off UTC. */
export function namesZone(text: string, form: TimeForm): boolean {
  const bare = text.trim();
  if (/\d[zZ]$/.test(bare)) return true;
  if (form === 'clock') return /(?:UTC|GMT)$/.test(bare);
  return (
    form !== 'excel' && momentOf(bare, form === 'iso' ? undefined : (form as DateOrder))?.hasZone === true
  );
}

/** Digits behind the point that a unit has down to the nanosecond. */
const decimalsOf: Readonly<Partial<Record<TimeForm, number>>> = { ms: 6, us: 3, ns: 0 };
const fractionForm = /[.,](\d*)(?:[eE]([-+]?\d+))?[^.,]*$/;

/** Whether a time was rounded to the nanosecond, by more than a double of its digits is off. */
export function isFinerThanNs(text: string, form: TimeForm): boolean {
  if (form === 'excel' || form === 'h' || form === 'min') return false;
  const [, digits = '', exponent = '0'] = fractionForm.exec(text) ?? [];
  const rest = digits.slice(Math.max(0, (decimalsOf[form] ?? 9) + Number(exponent)));
  // A thousandth of a nanosecond is what doubles of seconds, written with all their digits, are off.
  return rest.length > 0 && !/^(?:000|999)/.test(rest.padEnd(3, '0'));
}

const millisecond = 1_000_000n;
const daysBefore1970 = 25_569n;

/** Days since 1899-12-30, to the millisecond: a spreadsheet keeps no more. */
function excelTime(text: string): bigint | undefined {
  const millis = decimalOf(text, 86_400_000n);
  return millis === undefined ? undefined : (millis - daysBefore1970 * 86_400_000n) * millisecond;
}

const decimalForm = /^([-+]?)(\d{0,30})(?:[.,](\d{0,40}))?(?:[eE]([-+]?\d{1,2}))?$/;

/** A decimal times a whole number, exact, rounded to the nearest whole. */
function decimalOf(text: string, factor: bigint): bigint | undefined {
  const match = decimalForm.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = BigInt(whole + fraction) * factor;
  const power = Number(exponent) - fraction.length;
  const rounded = power >= 0 ? digits * 10n ** BigInt(power) : divideRounded(digits, 10n ** BigInt(-power));
  return sign === '-' ? -rounded : rounded;
}

function divideRounded(value: bigint, divisor: bigint): bigint {
  return (2n * value + divisor) / (2n * divisor);
}

const pointForm = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;
const commaForm = /^[-+]?(?:\d+(?:,\d*)?|,\d+)(?:[eE][-+]?\d+)?$/;
/** With thousands apart, where nothing else can be meant: `1.000,5` and `1.000.000` with a comma before decimals. */
const pointGroups = /^[-+]?\d{1,3}(?:(?:,\d{3})+\.\d+|(?:,\d{3}){2,})$/;
const commaGroups = /^[-+]?\d{1,3}(?:(?:\.\d{3})+,\d+|(?:\.\d{3}){2,})$/;

/**
 * A number that a double holds, 1 and 0 for booleans; undefined for other text, for a whole number whose digits a double would change (a long
 * serial number, say), and for one with zeros in front, which is a name.
 */
export function numberOfCell(text: string, decimal: '.' | ','): number | undefined {
  const isComma = decimal === ',';
  if (!(isComma ? commaForm : pointForm).test(text)) {
    const spelled = spelledNumber(text);
    if (spelled !== undefined) return spelled;
    const isGrouped = (isComma ? commaGroups : pointGroups).test(text);
    const plain = isGrouped ? text.replaceAll(isComma ? '.' : ',', '') : plainDigits(text);
    return plain === undefined ? undefined : numberOfCell(plain, decimal);
  }
  const value = Number(isComma ? text.replace(',', '.') : text);
  if (!Number.isFinite(value)) return undefined;
  return /^[-+]?\d{16,}$/.test(text) && !keepsDigits(text.replace('+', ''), value) ? undefined : value;
}

/** Whether a whole number comes back as it was, or stands for the very value: exports write a long one with zeros at its end. */
function keepsDigits(text: string, value: number): boolean {
  return String(value) === text || BigInt(text) === BigInt(value);
}

const jsonForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const spelledNumbers = new Set(['NaN', 'Infinity', '-Infinity']);

/** Whether an export would have written a number so; all other cells of it are texts. */
export function isExportedNumber(text: string): boolean {
  return jsonForm.test(text) || spelledNumbers.has(text);
}

/** Whether zeros stand in front of a whole number: a name such as `007`. */
export function isPadded(text: string): boolean {
  return /^[-+]?0\d+$/.test(text);
}
