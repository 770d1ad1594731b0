import { joined, split } from './text-parts.ts';

/** A channel that is calculated from others, and that only the view has. */
export interface MathChannel {
  readonly name: string;
  /** As docs/query.md says; it may name other channels of the view too. */
  readonly expression: string;
  readonly unit: string;
}

/** `Metres per second,Speed / 3.6,m/s` */
export function formatMath({ name, expression, unit }: MathChannel): string {
  return joined([name, expression, unit], ',');
}

/** Each name counts once; what has no name or no expression is left out. */
export function parseMath(texts: readonly string[]): MathChannel[] {
  const channels = new Map<string, MathChannel>();
  for (const text of texts) {
    const [name = '', expression = '', unit = ''] = split(text, ',');
    if (name !== '' && expression !== '') channels.set(name, { name, expression, unit });
  }
  return [...channels.values()];
}
