import type uPlot from 'uplot';
import { isFaint, type Look } from '../lines/colours.ts';
import { type Limits, outsideRuns } from '../lines/limits.ts';
import type { Line } from '../lines/points.ts';
import { clipOutside } from './draw-limits.ts';
import { scaleOf } from './scale-of.ts';
import { drawDots, drawRun, type Scales } from './stroke-points.ts';

export interface DrawnLine extends Look {
  readonly points: Line;
  /** What lies outside of them is marked. */
  readonly limits?: Limits | undefined;
  /** Its scale up is that of its unit. */
  readonly unit: string;
  /** Whether a value is drawn until the next one comes. */
  readonly isSteps?: boolean;
  /** Whether its scale is logarithmic. */
  readonly isLog?: boolean;
}

/** Pixels of widths that somebody chose. */
const chosenWidths = { thin: 0.75, wide: 2.5, widest: 4 } as const;

/** Pixels. */
const lineWidth = 1.25;
const boldWidth = 2.25;
/** At least, where it lies over a bold one: a thinner one would take its colour in part. */
const comparedWidth = 1.75;
/** Of lines with many points, which cross each other: wider ones take several times as long where the processor draws them. */
const denseWidth = 1;
/** Of the edge of a faint line, on each side. */
const edgeWidth = 1;

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
  const areCompared = lines.some(({ isBold }) => isBold);
  for (const line of lines) {
    const thin = isDense(chart, line.points) ? denseWidth : lineWidth;
    const unchosen = areCompared ? Math.max(comparedWidth, thin) : thin;
    const usual = line.width === undefined ? unchosen : chosenWidths[line.width];
    const own = (line.isBold ? Math.max(boldWidth, usual + 1) : usual) * devicePixelRatio;
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

function drawLine(
  chart: uPlot,
  { points, unit, isSteps = false }: DrawnLine,
  colour: string,
  lineWidth: number,
): void {
  const place = { ...placeIn(chart, unit), isSteps };
  takePen(chart, colour, lineWidth);
  for (const [begin, end] of seenRuns(chart, points)) {
    drawRun(chart.ctx, points, begin, end, place);
    if (isSparse(chart, points) || end - begin === 1) drawDots(chart.ctx, points, begin, end, place);
  }
}

/** Draws the points that are outside of limits, and the lines that lead to them. One that runs along a limit is not outside. */
function drawOutside(
  chart: uPlot,
  { points, unit, isSteps = false }: DrawnLine,
  limits: Limits,
  colour: string,
  lineWidth: number,
): void {
  const place = { ...placeIn(chart, unit), isSteps };
  takePen(chart, colour, lineWidth);
  for (const [begin, end] of seenRuns(chart, points)) {
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

/** Pixels of the canvas; what uPlot's own function does, once for all points. */
function placeIn(chart: uPlot, unit: string): Scales {
  const { left, top, width, height } = chart.bbox;
  const { min: xMin = 0, max: xMax = 1 } = chart.scales['x']!;
  const { min: yMin = 0, max: yMax = 1, distr } = chart.scales[scaleOf(unit)]!;
  if (distr === logarithmic)
    return logPlaceIn(chart, { xMin: xMin!, xMax: xMax! }, { yMin: yMin!, yMax: yMax! });
  const perX = width / (xMax! - xMin!);
  const perY = height / (yMax! - yMin!);
  return { x: (value) => left + (value - xMin!) * perX, y: (value) => top + (yMax! - value) * perY };
}

/** As uPlot calls it. */
export const logarithmic = 3;

/** The same by the logarithm. What has none stands below the plot, as uPlot puts it. */
function logPlaceIn(
  chart: uPlot,
  { xMin, xMax }: { readonly xMin: number; readonly xMax: number },
  { yMin, yMax }: { readonly yMin: number; readonly yMax: number },
): Scales {
  const { left, top, width, height } = chart.bbox;
  const perX = width / (xMax - xMin);
  const perY = height / (Math.log10(yMax) - Math.log10(yMin));
  return {
    x: (value) => left + (value - xMin) * perX,
    y: (value) => top + (Math.log10(yMax) - (value > 0 ? Math.log10(value) : Math.log10(yMin) - 1)) * perY,
  };
}

/** Pixels beside the plot within which a dot or a thick line may still show. */
const margin = 8;

/**
 * The runs, but for their points beside the plot that no line to a seen place leads to: while one zooms in, points of all that
 * was seen before are there, each with a dot.
 */
function seenRuns({ bbox, scales }: uPlot, points: Line): [begin: number, end: number][] {
  const { min = 0, max = 1 } = scales['x']!;
  const beside = ((max! - min!) / bbox.width) * margin * devicePixelRatio;
  const [from, to] = [min! - beside, max! + beside];
  const { x } = points;
  const isSeen = (i: number, next: number) =>
    Math.max(x[i]!, x[next]!) >= from && Math.min(x[i]!, x[next]!) <= to;
  return runsOf(points).flatMap(([begin, end]): [number, number][] => {
    let first = begin;
    let last = end - 1;
    while (first < last && !isSeen(first, first + 1)) first++;
    while (last > first && !isSeen(last - 1, last)) last--;
    return first === last && !isSeen(first, first) ? [] : [[first, last + 1]];
  });
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
