/**
 * JSON with 64-bit integers as strings of digits, which the service takes for them, and with -0. Throws a TypeError that
 * names the place of what JSON would leave out or make another value of: NaN, an infinity, a Map, a Promise, a function.
 */
export function encodeJson(value: unknown): string {
  // JSON has -0, and JSON.stringify writes 0 for it. No text of the value is equal to a random number.
  let zero: string | undefined;
  const text = JSON.stringify(
    value,
    function (this: Readonly<Record<string, unknown>>, name, member: unknown) {
      if (typeof member === 'bigint') return String(member);
      if (Object.is(member, -0)) {
        zero ??= `-0 ${Math.random()}`;
        return zero;
      }
      // The member is what its toJSON has made of it.
      const given = this[name];
      const lost = member === null && given instanceof Date ? 'an invalid Date' : lostIn(member);
      if (lost !== undefined)
        throw new TypeError(`${placeOf(given, value) ?? 'the value'} is ${lost}, which JSON has not`);
      return member;
    },
  );
  return zero === undefined ? text : text.replaceAll(`"${zero}"`, '-0');
}

/** Objects that JSON has a form for, by what they call themselves. */
const kept: readonly string[] = ['Object', 'Array', 'String', 'Number', 'Boolean'];

/** What a value is that JSON has no form for, and would be null, {} or nothing. */
function lostIn(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value);
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (kept.includes(kind)) return undefined;
  return `${/^[AEIO]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

/** The path to a member of a value, as the service writes one. */
function placeOf(member: unknown, value: unknown, path = ''): string | undefined {
  if (Object.is(member, value)) return path === '' ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const step = Array.isArray(value) ? `[${name}]` : path === '' ? name : `.${name}`;
    const found = placeOf(member, inner, path + step);
    if (found !== undefined) return found;
  }
  return undefined;
}
