import { JsonText, Members, Sequence } from '../../src/live/sequence.ts';

/** What an event has, with lists in the place of sequences and the text of JSON in its place. */
export function plain(value: unknown): unknown {
  if (value instanceof Sequence) {
    const there = value.slice(0, value.length).filter((element) => element !== undefined);
    return there.map(plain);
  }
  if (value instanceof Members) {
    const there = [...value.each()].filter((entry) => entry !== undefined);
    return Object.fromEntries(there.map(([name, member]) => [name, plain(member)]));
  }
  if (value instanceof JsonText) return textOf(plain(value.value));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

/** JSON with the digits of bigints, and strings for numbers that JSON does not have. */
function textOf(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return `"${value}"`;
    return Object.is(value, -0) ? '-0' : String(value);
  }
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`;
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('base64')}"`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`).join(',')}}`;
}
