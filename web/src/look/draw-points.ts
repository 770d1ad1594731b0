import type uPlot from 'uplot';
import type { Line } from './points.ts';

export interface DrawnLine {
  readonly points: Line;
  readonly colour: string;
  /** Its scale up is that of its unit. */
  readonly unit: string;
}

/** The name of a unit's scale: a unit may be called as the axis of x is. */
export function scaleOf(unit: string): string {
  return `in ${unit}`;
}

/** Pixels. */
const lineWidth = 1.25;
const dotRadius = 2;
/** Of the ground between smallest and largest. */
const bandAlpha = 0.3;

/**
 * Draws lines: a band from the smallest to the largest value where points are several rows, no line over a gap, and dots
 * where points stand apart or alone.
 */
export function drawLines(chart: uPlot, lines: readonly DrawnLine[]): void {
  const { ctx } = chart;
  const { left, top, width, height } = chart.bbox;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  ctx.lineWidth = lineWidth * devicePixelRatio;
  ctx.lineJoin = 'round';
  for (const { points, colour, unit } of lines) {
    const place = placeIn(chart, unit);
    ctx.strokeStyle = colour;
    ctx.fillStyle = colour;
    const isSparse = points.x.length * 10 < width;
    for (const [begin, end] of runsOf(points)) {
      drawRun(ctx, points, begin, end, place);
      if (isSparse || end - begin === 1) drawDots(ctx, points, begin, end, place);
    }
  }
  ctx.restore();
}

interface Scales {
  x(value: number): number;
  y(value: number): number;
}

/** Pixels of the canvas; what uPlot's own function does, once for all points. */
function placeIn(chart: uPlot, unit: string): Scales {
  const { left, top, width, height } = chart.bbox;
  const { min: xMin = 0, max: xMax = 1 } = chart.scales['x']!;
  const { min: yMin = 0, max: yMax = 1 } = chart.scales[scaleOf(unit)]!;
  const perX = width / (xMax! - xMin!);
  const perY = height / (yMax! - yMin!);
  return { x: (value) => left + (value - xMin!) * perX, y: (value) => top + (yMax! - value) * perY };
}

/** From where to where, exclusive, points are joined: between gaps, and between values that are no numbers. */
function runsOf({ x, low, gaps }: Line): [begin: number, end: number][] {
  const runs: [number, number][] = [];
  let begin = -1;
  for (let i = 0; i <= x.length; i++) {
    const isDrawn = i < x.length && Number.isFinite(low[i]!);
    if (begin >= 0 && (!isDrawn || gaps[i] === 1)) {
      runs.push([begin, i]);
      begin = -1;
    }
    if (isDrawn && begin < 0) begin = i;
  }
  return runs;
}

function drawRun(
  ctx: CanvasRenderingContext2D,
  { x, low, high }: Line,
  begin: number,
  end: number,
  place: Scales,
): void {
  strokeValues(ctx, x, low, begin, end, place);
  let isBand = false;
  for (let i = begin; i < end && !isBand; i++) isBand = high[i] !== low[i];
  if (!isBand) return;
  strokeValues(ctx, x, high, begin, end, place);
  ctx.beginPath();
  for (let i = begin; i < end; i++) ctx.lineTo(place.x(x[i]!), place.y(low[i]!));
  for (let i = end - 1; i >= begin; i--) ctx.lineTo(place.x(x[i]!), place.y(high[i]!));
  ctx.globalAlpha = bandAlpha;
  ctx.fill();
  ctx.globalAlpha = 1;
}

/** A path of thousands of pieces that cross each other is drawn slowly; several paths of so many are not. */
export const pathPoints = 250;

function strokeValues(
  ctx: CanvasRenderingContext2D,
  x: Float64Array,
  values: Float64Array,
  begin: number,
  end: number,
  place: Scales,
): void {
  for (let first = begin; first < end; first += pathPoints) {
    ctx.beginPath();
    const last = Math.min(end - 1, first + pathPoints);
    for (let i = first; i <= last; i++) ctx.lineTo(place.x(x[i]!), place.y(values[i]!));
    ctx.stroke();
  }
}

function drawDots(
  ctx: CanvasRenderingContext2D,
  { x, low, high }: Line,
  begin: number,
  end: number,
  place: Scales,
): void {
  const radius = dotRadius * devicePixelRatio;
  for (let i = begin; i < end; i++) {
    for (const value of low[i] === high[i] ? [low[i]!] : [low[i]!, high[i]!]) {
      ctx.beginPath();
      ctx.arc(place.x(x[i]!), place.y(value), radius, 0, 2 * Math.PI);
      ctx.fill();
    }
  }
}
