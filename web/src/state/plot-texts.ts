import { joined, numbers, split } from './text-parts.ts';

/** Of names and numbers in turn. */
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
