import { isTimestamp } from '../../domain/timestamp.ts';
import { fault } from '../base/fault.ts';
import { excerpt } from '../base/name.ts';
import type { JsonValue } from '../json/json-value.ts';
import { unitBySize } from '../lines/line-unit.ts';
import { isoTime } from '../requests/iso-time.ts';

/**
 * The time of a message, ns: a number of seconds, milliseconds, microseconds or nanoseconds, which its size shows,
 * with or without decimals; or ISO 8601, UTC where it names no zone. Throws `bad_timestamp` or `invalid_value`.
 */
export function messageTime(value: JsonValue, path: string): bigint {
  const text = typeof value === 'string' ? value.trim() : numberText(value);
  if (text === undefined) throw fault('bad_timestamp', path, 'must be a number or ISO 8601');
  const number = /^(-?)(\d{1,19})(?:\.(\d+))?$/.exec(text);
  if (number === null) {
    if (typeof value !== 'string') throw noTime(path, text);
    const millis = BigInt(isoTime(text, path)) * 1_000_000n;
    const finer = /\.\d{3}(\d{1,6})/.exec(text)?.[1] ?? '';
    return checked(millis + BigInt(finer.padEnd(6, '0')), path, text);
  }
  const [, sign, whole = '', decimals = ''] = number;
  const unit = unitBySize(BigInt(whole));
  const fraction = (BigInt(decimals.slice(0, 9).padEnd(9, '0')) * unit) / 1_000_000_000n;
  const size = BigInt(whole) * unit + fraction;
  return checked(sign === '-' ? -size : size, path, text);
}

/** As it was written; a large one may have an exponent. */
function numberText(value: JsonValue): string | undefined {
  if (value === null || typeof value !== 'object' || !('text' in value)) return undefined;
  return /[eE]/.test(value.text) && Number.isSafeInteger(value.value) ? String(value.value) : value.text;
}

function checked(time: bigint, path: string, text: string): bigint {
  if (isTimestamp(time)) return time;
  throw noTime(path, text);
}

function noTime(path: string, text: string) {
  return fault('bad_timestamp', path, `is no time: ${excerpt(text)}`);
}
