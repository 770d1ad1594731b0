import type uPlot from 'uplot';
import { leftSize, rightSize } from './axes.ts';

/** Pixels above a plot where its units stand, and the values at A and B. */
export const unitRoom = 20;
/** Pixels from the highest number, where the scale ends, to the unit. */
const unitGap = 9;
/** Pixels of the colours of an axis. */
const barWidth = 3;

/**
 * Says the unit of each axis above it, and whose it is by the colours of its lines beside it: the first axis stands on the
 * left, the others on the right. `ink` is the colour of text.
 */
export function drawAxisMarks(
  chart: uPlot,
  units: readonly string[],
  lines: readonly { readonly unit: string; readonly colour: string }[],
  ink: string,
): void {
  const { ctx } = chart;
  const { left, top, width, height } = chart.bbox;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = `600 ${11 * ratio}px system-ui, sans-serif`;
  ctx.textBaseline = 'alphabetic';
  ctx.textAlign = 'right';
  for (const [i, unit] of units.entries()) {
    const edge = i === 0 ? left : left + width + (i - 1) * rightSize * ratio;
    const end = i === 0 ? edge - 4 * ratio : edge + (rightSize - 4) * ratio;
    const most = ((i === 0 ? leftSize : rightSize) - 6) * ratio;
    ctx.fillStyle = ink;
    if (unit !== '') ctx.fillText(unit, end, top - unitGap * ratio, most);
    const colours = [...new Set(lines.flatMap((line) => (line.unit === unit ? line.colour : [])))];
    // One axis is of all lines.
    if (units.length < 2) continue;
    for (const [part, colour] of colours.entries()) {
      ctx.fillStyle = colour;
      const x = i === 0 ? edge - barWidth * ratio : edge;
      ctx.fillRect(x, top + (height * part) / colours.length, barWidth * ratio, height / colours.length);
    }
  }
  ctx.restore();
}
