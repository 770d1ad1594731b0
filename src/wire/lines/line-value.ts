import { isVanished } from '../../domain/vanished-number.ts';
import type { FieldValue } from './line-rows.ts';

/** Why a line is bad. No Error: a body may have a million of them, and nobody reads where each was thrown. */
export class LineFault {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Each character can be matched in one way only, so that no text takes more than one pass. */
const float = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const integer = /^[+-]?\d+[iu]$/;
const booleans: ReadonlyMap<string, number> = new Map([
  ...['t', 'T', 'true', 'True', 'TRUE'].map((word) => [word, 1] as const),
  ...['f', 'F', 'false', 'False', 'FALSE'].map((word) => [word, 0] as const),
]);

/** The most characters of a number: more than the longest exact text of a double, which has about 1080. */
const maxCharacters = 2048;

/** The number that a field's value without quotes stands for. Throws a LineFault. */
export function plainValue(text: string, name: string): FieldValue {
  if (text === '') throw new LineFault(`the field ${name} has no value`);
  if (text.length > maxCharacters) {
    throw new LineFault(`the field ${name} has a value of ${text.length} characters outside quotes`);
  }
  if (float.test(text)) {
    const value = Number(text);
    if (Number.isFinite(value)) return value;
    throw new LineFault(`the field ${name} is beyond the range of a 64-bit floating point number`);
  }
  if (integer.test(text)) return integerValue(text, name);
  const value = booleans.get(text);
  if (value !== undefined) return value;
  const shown = text.length <= 64 ? text : `${text.slice(0, 63)}…`;
  throw new LineFault(`the field ${name} has the invalid value ${shown}`);
}

/** Whether an integer is another one as a double, or a number too near to 0 for one. */
export function isRounded(text: string, value: FieldValue): boolean {
  if (value === 0) return float.test(text) && isVanished(text, value);
  return (
    typeof value === 'number' &&
    Math.abs(value) > Number.MAX_SAFE_INTEGER &&
    integer.test(text) &&
    BigInt(text.slice(0, -1).replace('+', '')) !== BigInt(value)
  );
}

function integerValue(text: string, name: string): number {
  const value = BigInt(text.slice(0, -1).replace(/^\+/, ''));
  const fits = text.endsWith('u') ? BigInt.asUintN(64, value) === value : BigInt.asIntN(64, value) === value;
  if (!fits) throw new LineFault(`the field ${name} is beyond 64 bits`);
  return Number(value);
}
