import { Wire } from './wire-reader.ts';

/** A field of a message: a whole number from 0 to 2^53 - 1, a text, or a message. */
export type WrittenField = readonly [number: number, value: number | string | Buffer];

/** A message of these fields. */
export function message(fields: readonly WrittenField[]): Buffer {
  return Buffer.concat(fields.flatMap(([number, value]) => field(number, value)));
}

function field(number: number, value: number | string | Buffer): Buffer[] {
  if (typeof value === 'number') return [varint(number * 8 + Wire.Varint), varint(value)];
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return [varint(number * 8 + Wire.Bytes), varint(bytes.length), bytes];
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}
