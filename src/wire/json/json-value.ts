/** Any JSON as plain data, for the small bodies; objects are maps, so that `__proto__` is a name like others. */
export type JsonValue = null | boolean | string | JsonNumber | readonly JsonValue[] | JsonObject;
export type JsonObject = ReadonlyMap<string, JsonValue>;

/** A number as it was written, for integers beyond 2^53, and as a double. */
export interface JsonNumber {
  readonly text: string;
  readonly value: number;
}

export const emptyObject: JsonObject = new Map();

/** The path of a member of the object at `path`, which is empty for the body itself. */
export function memberPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

export function describeValue(value: JsonValue): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return 'a string';
  if (Array.isArray(value)) return 'an array';
  return value instanceof Map ? 'an object' : 'a number';
}
