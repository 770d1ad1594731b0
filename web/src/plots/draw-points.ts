import type uPlot from 'uplot';
import { isFaint, type Look } from '../lines/colours.ts';
import { type Limits, outsideRuns } from '../lines/limits.ts';
import type { Line } from '../lines/points.ts';
import { clipOutside } from './draw-limits.ts';
import { scaleOf } from './scale-of.ts';

export interface DrawnLine extends Look {
  readonly points: Line;
  /** What lies outside of them is marked. */
  readonly limits?: Limits | undefined;
  /** Its scale up is that of its unit. */
  readonly unit: string;
}

/** Pixels. */
const lineWidth = 1.25;
const boldWidth = 2.25;
/** Of lines with many points, which cross each other: wider ones take several times as long where the processor draws them. */
const denseWidth = 1;
const dotRadius = 2;
/** Of the edge of a faint line, on each side. */
const edgeWidth = 1;
/** Of the ground between smallest and largest. */
const bandAlpha = 0.3;

/**
 * Draws lines: a band from the smallest to the largest value where points are several rows, no line over a gap, and dots
 * where points stand apart or alone. What is outside of limits is drawn over in the colour `bad`, and bold.
 */
export function drawLines(chart: uPlot, lines: readonly DrawnLine[], bad: string): void {
  const { ctx } = chart;
  const { left, top, width, height } = chart.bbox;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  ctx.lineJoin = 'round';
  for (const line of lines) {
    const thin = isDense(chart, line.points) ? denseWidth : lineWidth;
    const own = (line.isBold ? boldWidth : thin) * devicePixelRatio;
    ctx.setLineDash(line.dash.map((length) => length * devicePixelRatio));
    if (isFaint(line.colour)) drawLine(chart, line, edgeColour, own + 2 * edgeWidth * devicePixelRatio);
    drawLine(chart, line, line.colour, own);
    if (line.limits === undefined) continue;
    ctx.save();
    clipOutside(chart, line.limits, scaleOf(line.unit));
    const bold = Math.max(own, lineWidth * devicePixelRatio) + devicePixelRatio;
    drawOutside(chart, line, line.limits, bad, bold);
    ctx.restore();
  }
  ctx.restore();
}

/** Around lines that are too light for a light ground. */
const edgeColour = '#6b6600';

function drawLine(chart: uPlot, { points, unit }: DrawnLine, colour: string, lineWidth: number): void {
  const place = placeIn(chart, unit);
  takePen(chart, colour, lineWidth);
  for (const [begin, end] of runsOf(points)) {
    drawRun(chart.ctx, points, begin, end, place);
    if (isSparse(chart, points) || end - begin === 1) drawDots(chart.ctx, points, begin, end, place);
  }
}

/** Draws the points that are outside of limits, and the lines that lead to them. One that runs along a limit is not outside. */
function drawOutside(
  chart: uPlot,
  { points, unit }: DrawnLine,
  limits: Limits,
  colour: string,
  lineWidth: number,
): void {
  const place = placeIn(chart, unit);
  takePen(chart, colour, lineWidth);
  for (const [begin, end] of runsOf(points)) {
    for (const [from, to] of outsideRuns(points, limits, begin, end)) {
      drawRun(chart.ctx, points, Math.max(begin, from - 1), Math.min(end, to + 1), place);
      if (isSparse(chart, points) || end - begin === 1) drawDots(chart.ctx, points, from, to, place);
    }
  }
}

function takePen({ ctx }: uPlot, colour: string, lineWidth: number): void {
  ctx.lineWidth = lineWidth;
  ctx.strokeStyle = colour;
  ctx.fillStyle = colour;
}

/** Whether points are so far apart that each is seen; the rows of a short run lie close to each other. */
function isSparse({ bbox, scales }: uPlot, { x }: Line): boolean {
  const { min = 0, max = 1 } = scales['x']!;
  const pixels = ((x[x.length - 1]! - x[0]!) / (max! - min!)) * bbox.width;
  return (x.length - 1) * 10 < pixels;
}

/** Whether there is more than a point in three pixels. */
function isDense({ bbox }: uPlot, { x }: Line): boolean {
  return x.length * 3 > bbox.width;
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
