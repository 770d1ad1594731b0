/** Names and numbers in turn. */
export function heightsOf(texts: readonly string[]): Record<string, number> {
  const heights: [string, number][] = [];
  for (let i = 0; i + 1 < texts.length; i += 2) {
    const height = Number(texts[i + 1]);
    if (height > 0 && Number.isFinite(height)) heights.push([texts[i]!, height]);
  }
  return Object.fromEntries(heights);
}

/** Names, each with the least and the largest value of its axis. */
export function scalesText(scales: Readonly<Record<string, readonly [number, number]>>): string {
  return joined(
    Object.entries(scales).flatMap(([name, bounds]) => [name, bounds.join('~')]),
    ',',
  );
}

export function scalesOf(text: string): Record<string, readonly [number, number]> {
  const parts = split(text, ',');
  return Object.fromEntries(
    parts.flatMap((name, i) => {
      const bounds = i % 2 === 0 ? numbers(parts[i + 1] ?? null) : undefined;
      return bounds === undefined ? [] : [[name, bounds] as const];
    }),
  );
}

/** Two numbers, the first one less. */
export function numbers(text: string | null): [number, number] | undefined {
  const [from = Number.NaN, to = Number.NaN] = (text ?? '').split('~').map((part) => Number(part || 'none'));
  return from < to && Number.isFinite(from) && Number.isFinite(to) ? [from, to] : undefined;
}

export function nanoseconds(text: string | null): bigint | undefined {
  return text !== null && /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
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

/** Marks along the way in order, each once; there are no more than a table has columns for. */
export function sectorsOf(text: string): number[] {
  const marks = text.split('~').flatMap((part) => number(part) ?? []);
  return [...new Set(marks.filter((mark) => mark > 0))].sort((a, b) => a - b).slice(0, mostSectors - 1);
}

/** Each is a column of the table, and one of a query, which has 100 at most. */
export const mostSectors = 40;

/** Into more pieces nothing is cut. */
const mostPieces = 1024;

/** A number of pieces: a whole one from 1 on. */
export function piecesOf(text: string | null): number {
  const count = Number(text ?? '1');
  return Number.isInteger(count) && count >= 1 && count <= mostPieces ? count : 1;
}
