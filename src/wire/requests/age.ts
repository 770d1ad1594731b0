import { fault } from '../base/fault.ts';
import { excerpt } from '../base/name.ts';
import { type Read, text } from './fields.ts';

/**
 * An age as people write it: digits and one of s m h d w y, such as `30d`; a year has 365 days. In memory it is
 * nanoseconds, at least a second and no more than a timestamp can be old.
 */
const units: readonly (readonly [unit: string, seconds: bigint])[] = [
  ['y', 365n * 86_400n],
  ['w', 7n * 86_400n],
  ['d', 86_400n],
  ['h', 3600n],
  ['m', 60n],
  ['s', 1n],
];
const maxAge = 2n ** 63n - 1n;
const nanosecondsPerSecond = 1_000_000_000n;

export const readAge: Read<bigint> = (value, path) => {
  const given = text(value, path);
  const [, digits = '0', unit = ''] = /^([0-9]{1,12})([smhdwy])$/.exec(given) ?? [];
  const seconds = units.find(([name]) => name === unit)?.[1] ?? 0n;
  const age = BigInt(digits) * seconds * nanosecondsPerSecond;
  if (age > 0n && age <= maxAge) return age;
  throw fault(
    'invalid_value',
    path,
    `must be a time like 30d (digits and one of s m h d w y), from 1s to 292y, not ${excerpt(given)}`,
  );
};

/** Writes an age in the largest unit that it is a whole number of; weeks are written as days, as most people do. */
export function writeAge(age: bigint): string {
  const seconds = age / nanosecondsPerSecond;
  const [unit, length] = units.find(([name, per]) => name !== 'w' && seconds % per === 0n)!;
  return `${seconds / length}${unit}`;
}
