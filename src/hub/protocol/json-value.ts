import { Members } from '../../live/sequence.ts';

/**
 * Plain data as JSON, exactly: 64-bit integers (`bigint`) as digits, or as strings where the client's numbers are
 * doubles; NaN and the infinities as strings; -0 as `-0`; bytes as base64; typed arrays as arrays. Properties that are
 * undefined are left out.
 */
export function jsonOf(value: unknown, int64AsString: boolean): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return jsonOfNumber(value);
    case 'bigint':
      return int64AsString ? `"${value}"` : String(value);
    case 'boolean':
      return String(value);
    case 'object':
      return value === null ? 'null' : jsonOfObject(value, int64AsString);
    default:
      return 'null';
  }
}

function jsonOfNumber(value: number): string {
  if (!Number.isFinite(value)) return `"${value}"`;
  return Object.is(value, -0) ? '-0' : String(value);
}

function jsonOfObject(value: object, int64AsString: boolean): string {
  if (value instanceof Uint8Array) {
    return `"${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')}"`;
  }
  if (isSequence(value)) {
    const parts: string[] = [];
    for (const element of value) parts.push(jsonOf(element, int64AsString));
    return `[${parts.join(',')}]`;
  }
  const members: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${jsonOf(member, int64AsString)}`);
  }
  return `{${members.join(',')}}`;
}

/** Arrays, and typed arrays of numbers. */
export function isSequence(value: object): value is Iterable<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

/** Returns the members of an object, which may be made one after the other; see `Members.each`. */
export function membersOf(value: object): ReturnType<Members['each']> {
  return value instanceof Members ? value.each() : Object.entries(value);
}
