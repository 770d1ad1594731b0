import type { StreamRef } from '../state/view-text.ts';
import { isStream } from './same-stream.ts';

/**
 * Colours of traces: those of M. Okabe and K. Ito, "Color Universal Design" (2008), which people tell apart however they
 * see colours, in shades that stand out on dark and on light ground.
 */
const palette = ['#0d8ecf', '#d96c06', '#0f9d76', '#c2609b', '#b59a00', '#7467d6', '#cf4242', '#5b8c2a'];

export function colourAt(index: number): string {
  return palette[index % palette.length]!;
}

/** In one plot each stream and each parameter has its own. */
export function colourOf(
  streams: readonly StreamRef[],
  plots: readonly (readonly string[])[],
  trace: { readonly stream: StreamRef; readonly parameter: string },
): string {
  const stream = streams.findIndex((open) => isStream(open, trace.stream));
  const parameters = plots.find((names) => names.includes(trace.parameter)) ?? [];
  return colourAt(Math.max(0, stream) * Math.max(1, parameters.length) + parameters.indexOf(trace.parameter));
}

/** The same colour for the same value of a tag, whichever others are seen: numbers in turn, words by their letters. */
export function colourOfValue(value: string): string {
  if (/^\d{1,15}$/.test(value)) return colourAt(Number(value));
  let sum = 0;
  for (const letter of value) sum = (sum * 31 + letter.codePointAt(0)!) % 1_000_003;
  return colourAt(sum);
}
