import type { StreamRef } from '../state/view.ts';

/**
 * Colours of traces: those of M. Okabe and K. Ito, "Color Universal Design" (2008), which people tell apart however they
 * see colours, in shades that stand out on dark and on light ground.
 */
const palette = ['#0d8ecf', '#d96c06', '#0f9d76', '#c2609b', '#b59a00', '#7467d6', '#cf4242', '#5b8c2a'];

export function colourAt(index: number): string {
  return palette[index % palette.length]!;
}

/** Each stream and each parameter of a plot has its own. */
export function colourOf(
  streams: readonly StreamRef[],
  plots: readonly (readonly string[])[],
  trace: { readonly stream: StreamRef; readonly parameter: string },
): string {
  const stream = streams.findIndex(({ streamId }) => streamId === trace.stream.streamId);
  const parameters = plots.find((names) => names.includes(trace.parameter)) ?? [];
  return colourAt(Math.max(0, stream) * Math.max(1, parameters.length) + parameters.indexOf(trace.parameter));
}
