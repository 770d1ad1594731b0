import { viridis } from './viridis.ts';
import { fitOf, hullOf } from './xy-fit.ts';
import type { XyRows } from './xy-load.ts';
import { margin, type XyScales } from './xy-scales.ts';

/** A cell of the density, pixels. */
const cell = 4;

/** How many rows lie where: from dark violet (few) to yellow (most), by the logarithm. */
export function drawDensity(
  pen: CanvasRenderingContext2D,
  lines: readonly XyRows[],
  { xOf, yOf }: XyScales,
  width: number,
): void {
  const across = Math.ceil(width / cell);
  const counts = new Map<number, number>();
  for (const { x, y } of lines) {
    for (let i = 0; i < x.length; i++) {
      const place = Math.floor(yOf(y[i]!) / cell) * across + Math.floor(xOf(x[i]!) / cell);
      counts.set(place, (counts.get(place) ?? 0) + 1);
    }
  }
  let most = 1;
  for (const count of counts.values()) if (count > most) most = count;
  for (const [place, count] of counts) {
    pen.fillStyle = viridis(most === 1 ? 1 : Math.log(count) / Math.log(most));
    pen.fillRect((place % across) * cell, Math.floor(place / across) * cell, cell, cell);
  }
}

/** Pixels. */
const pointSize = 2.5;

/** A point for each row. */
export function drawPoints(
  pen: CanvasRenderingContext2D,
  { x, y }: XyRows,
  colourOf: (row: number) => string,
  { xOf, yOf }: XyScales,
): void {
  for (let i = 0; i < x.length; i++) {
    pen.fillStyle = colourOf(i);
    pen.fillRect(xOf(x[i]!) - pointSize / 2, yOf(y[i]!) - pointSize / 2, pointSize, pointSize);
  }
}

/** The straight line that fits rows best, from one side of the drawing to the other. */
export function drawFit(
  pen: CanvasRenderingContext2D,
  rows: XyRows,
  colour: string,
  { across, xOf, yOf }: XyScales,
): void {
  const fit = fitOf(rows);
  if (fit === undefined) return;
  const { canvas } = pen;
  pen.save();
  pen.beginPath();
  const [width, height] = [canvas.width / devicePixelRatio, canvas.height / devicePixelRatio];
  pen.rect(margin.left, margin.top, width - margin.left - margin.right, height - margin.top - margin.bottom);
  pen.clip();
  outline(pen, colour, [8, 4]);
  pen.beginPath();
  for (const [i, x] of across.entries())
    pen[i === 0 ? 'moveTo' : 'lineTo'](xOf(x), yOf(fit.slope * x + fit.offset));
  pen.stroke();
  pen.restore();
}

/** The smallest convex shape around rows. */
export function drawHull(
  pen: CanvasRenderingContext2D,
  rows: XyRows,
  colour: string,
  { xOf, yOf }: XyScales,
): void {
  outline(pen, colour, []);
  pen.beginPath();
  for (const [i, [x, y]] of hullOf(rows).entries()) pen[i === 0 ? 'moveTo' : 'lineTo'](xOf(x), yOf(y));
  pen.closePath();
  pen.stroke();
}

function outline(pen: CanvasRenderingContext2D, colour: string, dash: readonly number[]): void {
  pen.strokeStyle = colour;
  pen.lineWidth = 2;
  pen.setLineDash([...dash]);
}
