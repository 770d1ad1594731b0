import type uPlot from 'uplot';
import type { Marks } from './marks.ts';

/** Bands with their values, and a dashed line per event; `ink` is the colour of text. */
export function drawMarks(chart: uPlot, origin: bigint, { events, bands }: Marks, ink: string): void {
  const { ctx } = chart;
  const { left, top, width, height } = chart.bbox;
  const xOf = (time: bigint) => chart.valToPos(Number(time - origin) / 1e9, 'x', true);
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textBaseline = 'bottom';
  ctx.textAlign = 'left';
  for (const { from, to, label, colour } of bands) {
    const start = Math.max(left, xOf(from));
    const end = Math.min(left + width, xOf(to));
    if (end <= start) continue;
    ctx.globalAlpha = 0.13;
    ctx.fillStyle = colour;
    ctx.fillRect(start, top, end - start, height);
    ctx.globalAlpha = 1;
    ctx.fillStyle = ink;
    if (end - start > ctx.measureText(label).width + 8) ctx.fillText(label, start + 4, top + height - 3);
  }
  ctx.globalAlpha = 0.9;
  for (const { time, colour } of events) {
    const x = Math.round(xOf(time));
    if (x < left || x > left + width) continue;
    ctx.strokeStyle = colour;
    ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, top + height);
    ctx.stroke();
  }
  ctx.restore();
}
