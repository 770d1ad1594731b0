/**
 * JSON with 64-bit integers as strings of digits, which the service takes for them, and with -0. Throws a TypeError that
 * names the place of what JSON would make another value of: NaN, an infinity, a Map, a Set.
 */
export function encodeJson(value: unknown): string {
  // JSON has -0, and JSON.stringify writes 0 for it. No text of the value is equal to a random number.
  let zero: string | undefined;
  const text = JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member === 'bigint') return String(member);
    if (Object.is(member, -0)) {
      zero ??= `-0 ${Math.random()}`;
      return zero;
    }
    const lost = lostIn(member);
    if (lost !== undefined) throw new TypeError(`${placeOf(member, value) ?? 'the value'} is ${lost}`);
    return member;
  });
  return zero === undefined ? text : text.replaceAll(`"${zero}"`, '-0');
}

/** What a value is that JSON has no form for, and would be null or {}. */
function lostIn(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `${value}, which JSON has not`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const kind = /^\[object (Map|Set)\]$/.exec(Object.prototype.toString.call(value))?.[1];
  return kind && `a ${kind}, which JSON has not`;
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
