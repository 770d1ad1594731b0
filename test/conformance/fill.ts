import type { JsonNumber, JsonObject, JsonValue } from '../../src/wire/json/json-value.ts';

/** What the names in `${…}` stand for. */
export type Bindings = ReadonlyMap<string, JsonValue>;

/**
 * A value of a script with its placeholders filled in:
 *
 *   "${name}"       what was captured, of its own type; within longer text its text
 *   "${now}", "${now-90m}", "${now+1d}"   nanoseconds since the Unix epoch, as a number; units ms s m h d
 *   "${now+90m as ISO}"   the same moment as ISO 8601 text
 *   { "$repeat": n, "element": x }              an array of n times x
 *   { "$repeat": n, "text": "x" }               a string of n times x
 *   { "$repeat": n, "name": "p#", "value": x }  an object with the members p1 to pn
 */
export function fill(value: JsonValue, bindings: Bindings): JsonValue {
  if (typeof value === 'string') return fillText(value, bindings);
  if (Array.isArray(value)) return value.map((element: JsonValue) => fill(element, bindings));
  if (!(value instanceof Map)) return value;
  const members = value as JsonObject;
  const repeat = members.get('$repeat');
  if (repeat !== undefined) return repeated((repeat as JsonNumber).value, members, bindings);
  return new Map(
    [...members].map(([name, member]) => [plainText(fillText(name, bindings)), fill(member, bindings)]),
  );
}

/** The text of a value, as it stands within longer text. */
export function plainText(value: JsonValue): string {
  return typeof value === 'string' ? value : encode(value);
}

/** The value as JSON, numbers as they were written. */
export function encode(value: JsonValue): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((element: JsonValue) => encode(element)).join(',')}]`;
  if (!(value instanceof Map)) return (value as JsonNumber).text;
  const members = [...(value as JsonObject)];
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${encode(member)}`).join(',')}}`;
}

export function integer(value: bigint): JsonNumber {
  return { text: String(value), value: Number(value) };
}

const placeholder = /\$\{([^}]+)\}/g;

function fillText(text: string, bindings: Bindings): JsonValue {
  const whole = /^\$\{([^}]+)\}$/.exec(text)?.[1];
  if (whole !== undefined) return bound(whole, bindings);
  return text.replace(placeholder, (_, name: string) => plainText(bound(name, bindings)));
}

function bound(name: string, bindings: Bindings): JsonValue {
  const [, sign, count, unit, iso] = /^now(?:([+-])(\d+)(ms|s|m|h|d))?( as ISO)?$/.exec(name) ?? [];
  if (sign !== undefined || iso !== undefined) {
    const distance = BigInt(count ?? 0) * (nanosecondsPerUnit.get(unit ?? '') ?? 0n);
    const now = BigInt((bindings.get('now') as JsonNumber).text);
    const time = sign === '-' ? now - distance : now + distance;
    return iso === undefined ? integer(time) : new Date(Number(time / 1_000_000n)).toISOString();
  }
  const value = bindings.get(name);
  if (value === undefined) throw new Error(`nothing before this step captures \${${name}}`);
  return value;
}

const nanosecondsPerUnit: ReadonlyMap<string, bigint> = new Map([
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
  ['d', 86_400_000_000_000n],
]);

function repeated(count: number, members: JsonObject, bindings: Bindings): JsonValue {
  const given = members.get('text');
  if (typeof given === 'string') return given.repeat(count);
  const element = members.get('element');
  if (element !== undefined) return new Array<JsonValue>(count).fill(fill(element, bindings));
  const name = members.get('name');
  const value = members.get('value');
  if (typeof name !== 'string' || value === undefined) {
    throw new Error('$repeat needs text, element, or name and value');
  }
  return new Map(Array.from({ length: count }, (_, i) => [name.replaceAll('#', String(i + 1)), value]));
}
