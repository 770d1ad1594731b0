import type { Bounds } from '../lines/bounds.ts';
import { numberText } from '../lines/reading.ts';
import { roundNumbers } from '../plots/number-ticks.ts';
import { pathPoints } from '../plots/stroke-points.ts';
import { shadedRows } from './shades.ts';
import { viridis } from './viridis.ts';
import type { XyRows } from './xy-load.ts';
import { margin, type XyScales } from './xy-scales.ts';

/** Round numbers along both axes, and what they are of. */
export function drawAxes(
  pen: CanvasRenderingContext2D,
  { across, up, xOf, yOf }: XyScales,
  { soft, grid }: { readonly soft: string; readonly grid: string },
  width: number,
  height: number,
  [xLabel, yLabel]: readonly [string, string],
  [isXWhole, isYWhole]: readonly [boolean, boolean],
): void {
  const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
  pen.clearRect(0, 0, width, height);
  pen.font = '11px system-ui, sans-serif';
  pen.fillStyle = soft;
  pen.strokeStyle = grid;
  pen.lineWidth = 1;
  pen.textAlign = 'center';
  for (const tick of roundNumbers(across, inner.width / 70, isXWhole)) {
    segment(pen, xOf(tick), margin.top, xOf(tick), margin.top + inner.height);
    pen.fillText(numberText(tick), xOf(tick), height - 20);
  }
  pen.fillText(xLabel, margin.left + inner.width / 2, height - 5);
  pen.textAlign = 'right';
  for (const tick of roundNumbers(up, inner.height / 40, isYWhole)) {
    segment(pen, margin.left, yOf(tick), margin.left + inner.width, yOf(tick));
    pen.fillText(numberText(tick), margin.left - 6, yOf(tick) + 4);
  }
  pen.textAlign = 'left';
  pen.fillText(yLabel, margin.left + 4, margin.top + 12);
}

/** Pixels; of rows between two gaps. */
const dotSize = 3;

/** A line in one colour, and dots for rows that stand alone. */
export function drawLine(
  pen: CanvasRenderingContext2D,
  rows: XyRows,
  colour: string,
  { xOf, yOf }: XyScales,
): void {
  const { x, y, gaps } = rows;
  pen.strokeStyle = colour;
  pen.fillStyle = colour;
  pen.beginPath();
  for (let i = 0; i < x.length; i++) {
    const isBegin = i === 0 || gaps[i] === 1;
    pen[isBegin ? 'moveTo' : 'lineTo'](xOf(x[i]!), yOf(y[i]!));
    if (isBegin && isAlone(rows, i)) drawDot(pen, xOf(x[i]!), yOf(y[i]!));
    if (i % pathPoints !== pathPoints - 1) continue;
    pen.stroke();
    pen.beginPath();
    pen.moveTo(xOf(x[i]!), yOf(y[i]!));
  }
  pen.stroke();
}

/** So many colours are drawn; segments of one colour are one path. */
const shades = 24;

/** Pieces in the colours of their values; in the colour `plain` where a row has none. */
export function drawShaded(
  pen: CanvasRenderingContext2D,
  rows: XyRows,
  shade: readonly number[],
  bounds: Bounds,
  plain: string,
  scales: XyScales,
): void {
  const { rowsOf, without } = shadedRows(shade, bounds, shades);
  drawPieces(pen, rows, without, plain, scales);
  for (const [level, own] of rowsOf.entries())
    drawPieces(pen, rows, own, viridis(level / (shades - 1)), scales);
}

/** Of each of some rows the piece from the row before, or a dot where it stands alone. */
function drawPieces(
  pen: CanvasRenderingContext2D,
  rows: XyRows,
  some: readonly number[],
  colour: string,
  { xOf, yOf }: XyScales,
): void {
  const { x, y, gaps } = rows;
  pen.strokeStyle = colour;
  pen.fillStyle = colour;
  pen.beginPath();
  let drawn = 0;
  for (const i of some) {
    if (isAlone(rows, i)) drawDot(pen, xOf(x[i]!), yOf(y[i]!));
    if (i === 0 || gaps[i] === 1) continue;
    pen.moveTo(xOf(x[i - 1]!), yOf(y[i - 1]!));
    pen.lineTo(xOf(x[i]!), yOf(y[i]!));
    if (++drawn % pathPoints !== 0) continue;
    pen.stroke();
    pen.beginPath();
  }
  pen.stroke();
}

/** Whether no line leads to a row, nor on from it. */
function isAlone({ x, gaps }: XyRows, row: number): boolean {
  return (row === 0 || gaps[row] === 1) && (row === x.length - 1 || gaps[row + 1] === 1);
}

function drawDot(pen: CanvasRenderingContext2D, left: number, top: number): void {
  pen.fillRect(left - dotSize / 2, top - dotSize / 2, dotSize, dotSize);
}

function segment(pen: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  pen.beginPath();
  pen.moveTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
  pen.lineTo(Math.round(x2) + 0.5, Math.round(y2) + 0.5);
  pen.stroke();
}
