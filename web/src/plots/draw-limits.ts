import type uPlot from 'uplot';
import type { Limits } from '../lines/limits.ts';
import { scaleOf } from './scale-of.ts';

/** Faint lines at limits; `ink` is the colour of text. */
export function drawLimits(
  chart: uPlot,
  lines: readonly { readonly limits?: Limits | undefined; readonly unit: string }[],
  ink: string,
): void {
  const { ctx } = chart;
  const { left, top, width, height } = chart.bbox;
  ctx.save();
  ctx.strokeStyle = ink;
  ctx.globalAlpha = 0.6;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([devicePixelRatio, 4 * devicePixelRatio]);
  for (const { limits, unit } of lines) {
    for (const value of [limits?.least, limits?.largest]) {
      if (value === undefined) continue;
      const y = Math.round(chart.valToPos(value, scaleOf(unit), true)) + 0.5;
      if (y < top || y > top + height) continue;
      ctx.beginPath();
      ctx.moveTo(left, y);
      ctx.lineTo(left + width, y);
      ctx.stroke();
    }
  }
  ctx.restore();
}

/** Lets only what lies outside of limits be drawn, until the canvas is restored. */
export function clipOutside(chart: uPlot, { least, largest }: Limits, scale: string): void {
  const { ctx } = chart;
  const { left, top, width, height } = chart.bbox;
  const yOf = (value: number) => chart.valToPos(value, scale, true);
  ctx.beginPath();
  if (largest !== undefined) ctx.rect(left, top, width, Math.max(0, yOf(largest) - top));
  if (least !== undefined) {
    const y = Math.max(top, yOf(least));
    ctx.rect(left, y, width, Math.max(0, top + height - y));
  }
  ctx.clip();
}
