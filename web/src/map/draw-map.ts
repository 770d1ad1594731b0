import type { Bounds } from '../lines/bounds.ts';
import type { Look } from '../lines/colours.ts';
import { pathPoints } from '../plots/stroke-points.ts';
import type { Path } from './ground.ts';
import type { MapScales } from './map-scales.ts';
import { shadedRows } from './shades.ts';
import { viridis } from './viridis.ts';

/** Pixels. */
const trackWidth = 5.5;
const lineWidth = 2.5;
const boldWidth = 4.5;
/** So many colours are drawn; pieces of one colour are one path. */
const shades = 32;

/** All of the ways, below what is coloured: it makes both ends of the ramp stand out on any ground. */
export function drawTrack(
  pen: CanvasRenderingContext2D,
  paths: readonly Path[],
  ink: string,
  scales: MapScales,
): void {
  pen.strokeStyle = ink;
  pen.lineWidth = trackWidth;
  for (const path of paths) drawPieces(pen, path, scales, path.x.keys());
}

/** A way in one colour; the first of several is wider, and lies below. `isSeen` tells of which rows a piece is drawn. */
export function drawPlain(
  pen: CanvasRenderingContext2D,
  path: Path,
  { colour, dash, isBold }: Look,
  scales: MapScales,
  isSeen: (row: number) => boolean,
): void {
  pen.strokeStyle = colour;
  pen.lineWidth = isBold ? boldWidth : lineWidth;
  pen.setLineDash([...dash]);
  drawPieces(pen, path, scales, [...path.x.keys()].filter(isSeen));
  pen.setLineDash([]);
}

/** A way whose pieces have the colours of values, from the least to the largest of the bounds. */
export function drawShaded(
  pen: CanvasRenderingContext2D,
  path: Path,
  shade: readonly number[],
  bounds: Bounds,
  scales: MapScales,
  isSeen: (row: number) => boolean,
): void {
  pen.lineWidth = lineWidth;
  for (const [level, rows] of shadedRows(shade, bounds, shades).rowsOf.entries()) {
    pen.strokeStyle = viridis(level / (shades - 1));
    drawPieces(pen, path, scales, rows.filter(isSeen));
  }
}

/** Of each row the piece from the row before; a point for a row that stands alone. */
function drawPieces(
  pen: CanvasRenderingContext2D,
  { x, y, gaps }: Path,
  { xOf, yOf }: MapScales,
  rows: Iterable<number>,
): void {
  const isPlace = (row: number) => row >= 0 && row < x.length && !Number.isNaN(x[row]! + y[row]!);
  let drawn = 0;
  pen.lineCap = 'round';
  pen.beginPath();
  for (const row of rows) {
    if (!isPlace(row)) continue;
    const hasBefore = gaps[row] === 0 && isPlace(row - 1);
    const hasNext = isPlace(row + 1) && gaps[row + 1] === 0;
    if (!hasBefore && hasNext) continue;
    const from = hasBefore ? row - 1 : row;
    pen.moveTo(xOf(x[from]!), yOf(y[from]!));
    pen.lineTo(xOf(x[row]!), yOf(y[row]!));
    if (++drawn % pathPoints !== 0) continue;
    pen.stroke();
    pen.beginPath();
  }
  pen.stroke();
}
