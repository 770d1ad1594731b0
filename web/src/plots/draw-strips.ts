import type uPlot from 'uplot';
import { colourOfValue } from '../lines/colours.ts';
import type { State } from '../lines/states.ts';

/** States of one parameter in one run. */
export interface Strip {
  readonly name: string;
  readonly states: readonly State[];
}

/** Of the ground of a strip: text over it is read easily. */
const fillAlpha = 0.28;
const mixedAlpha = 0.4;
/** Pixels. */
const underLines = 20;
const leastHigh = 10;
const between = 3;
const headPixels = 2;
const edge = 3;
const textEdge = 4;
/** A row that stands alone is so wide. */
const leastWide = 3;
/** A text that is cut to fewer letters says nothing. */
const leastLetters = 3;

/** Pixels that strips take at the bottom of a plot that has lines. */
export function stripsFoot(strips: readonly Strip[]): number {
  return strips.length * (underLines + between);
}

/** Draws strips one below the other, at the bottom of the plot. `ink` is the colour of text. */
export function drawStrips(chart: uPlot, strips: readonly Strip[], hasLines: boolean, ink: string): void {
  if (strips.length === 0) return;
  const { ctx } = chart;
  const ratio = devicePixelRatio;
  const { left, top, width, height } = chart.bbox;
  const room = (height / ratio - headPixels) / strips.length - between;
  const high = (hasLines ? underLines : Math.max(leastHigh, room)) * ratio;
  ctx.save();
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  ctx.textBaseline = 'middle';
  for (const [i, { name, states }] of strips.entries()) {
    const y = top + height - (strips.length - i) * (high + between * ratio);
    if (!hasLines) {
      ctx.textAlign = 'right';
      ctx.fillStyle = ink;
      ctx.fillText(shortened(ctx, name, left - 8 * ratio), left - 6 * ratio, y + high / 2);
    }
    ctx.textAlign = 'left';
    for (const state of states) drawState(chart, state, y, high, ink, [left, left + width]);
  }
  ctx.restore();
}

function drawState(
  chart: uPlot,
  { begin, end, text, value, isMixed }: State,
  y: number,
  high: number,
  ink: string,
  [left, right]: readonly [number, number],
): void {
  const { ctx } = chart;
  const ratio = devicePixelRatio;
  const from = chart.valToPos(begin, 'x', true);
  const to = Math.max(from + leastWide * ratio, chart.valToPos(end, 'x', true));
  if (to < left || from > right) return;
  const [start, wide] = [Math.max(left, from), Math.min(right, to) - Math.max(left, from)];
  ctx.fillStyle = isMixed ? ink : colourOfValue(value);
  ctx.globalAlpha = isMixed ? mixedAlpha : fillAlpha;
  ctx.fillRect(start, y, wide, high);
  ctx.globalAlpha = 1;
  if (isMixed) return;
  ctx.fillRect(start, y, wide, edge * ratio);
  ctx.fillRect(start, y, ratio, high);
  ctx.fillStyle = ink;
  const label = shortened(ctx, text, wide - 2 * textEdge * ratio);
  if (label !== '') ctx.fillText(label, start + textEdge * ratio, y + high / 2 + ratio);
}

/** As much of a text as there is room for; nothing where that is too little to read. */
function shortened(ctx: CanvasRenderingContext2D, text: string, room: number): string {
  const wide = ctx.measureText(text).width;
  if (wide <= room) return text;
  // Letters are not equally wide.
  let letters = Math.floor((text.length * room) / wide);
  while (letters >= leastLetters && ctx.measureText(`${text.slice(0, letters)}…`).width > room) letters--;
  return letters < leastLetters ? '' : `${text.slice(0, letters)}…`;
}
