import { isTimestamp } from '../domain/timestamp.ts';
import { PitwallError } from '../errors.ts';
import { isoTime } from '../wire/requests/iso-time.ts';
import { CommandError, UsageError } from './command.ts';

/**
 * A moment in nanoseconds since the Unix epoch: digits of nanoseconds, or ISO 8601 with up to nine decimals, UTC where
 * it names no zone. Throws a CommandError that begins with the place.
 */
export function readTime(text: string, place: () => string): bigint {
  const nanos = /^-?\d{1,20}$/.test(text) ? BigInt(text) : fromIso(text, place);
  if (isTimestamp(nanos)) return nanos;
  throw new CommandError(`${place()}: ${text} is out of the range of 64-bit nanoseconds`);
}

function fromIso(text: string, place: () => string): bigint {
  const fraction = /\.(\d{1,9})/.exec(text)?.[1] ?? '';
  try {
    const whole = isoTime(text, '') - Number(fraction.slice(0, 3).padEnd(3, '0'));
    return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
  } catch (error) {
    if (!(error instanceof PitwallError)) throw error;
    throw new CommandError(
      `${place()}: '${text}' is neither nanoseconds nor a time like 2024-05-31T12:30:00.000000001Z`,
    );
  }
}

/** The time of an option, undefined where it is not given. Throws a UsageError that names the option. */
export function timeOption(name: string, text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  try {
    return readTime(text, () => name);
  } catch (error) {
    throw error instanceof CommandError ? new UsageError(error.message) : error;
  }
}
