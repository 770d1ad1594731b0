/** Two numbers, the first one less. */
export function numbers(text: string | null): [number, number] | undefined {
  const [from = Number.NaN, to = Number.NaN] = (text ?? '').split('~').map((part) => Number(part || 'none'));
  return from < to && Number.isFinite(from) && Number.isFinite(to) ? [from, to] : undefined;
}

/** A time of 64 bits; undefined of what is none. */
export function nanoseconds(text: string | null): bigint | undefined {
  if (text === null || !/^-?\d{1,19}$/.test(text)) return undefined;
  const time = BigInt(text);
  return BigInt.asIntN(64, time) === time ? time : undefined;
}

/** Names with a mark between them; a mark inside of a name has a backslash before it. */
export function joined(names: readonly string[], mark: string): string {
  return names.map((name) => name.replaceAll('\\', '\\\\').replaceAll(mark, `\\${mark}`)).join(mark);
}

export function split(text: string, mark: string): string[] {
  const names = [''];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === mark) names.push('');
    else names[names.length - 1] += text[i] === '\\' && i + 1 < text.length ? text[++i]! : text[i]!;
  }
  return names;
}

export function number(text: string | null): number | undefined {
  const value = Number(text || 'none');
  return Number.isFinite(value) ? value : undefined;
}

/** Three names; empty where there is none. */
export function threeOf(text: string): [string, string, string] {
  const [first = '', second = '', third = ''] = split(text, ',');
  return [first, second, third];
}
