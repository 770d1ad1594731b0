import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Look } from '../lines/colours.ts';
import { numberText } from '../lines/reading.ts';
import { pathPoints } from '../plots/draw-points.ts';
import { roundNumbers } from '../plots/number-ticks.ts';
import { viridis } from './viridis.ts';
import type { XyRows } from './xy-load.ts';
import { margin, nearestPoint, reach, scalesOf, type XyScales } from './xy-scales.ts';

/** Rows of a stream or a lap, joined by a line. */
export interface XyLine extends Look {
  readonly label: string;
  readonly rows: XyRows;
}

/** A row of a line. */
export interface XyPlace {
  readonly line: number;
  readonly row: number;
}

export interface XyChartProps {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly lines: readonly XyLine[];
  readonly width: number;
  readonly height: number;
  /** One unit across is as long as one unit up. */
  readonly isMap: boolean;
  /** Rows that are marked. */
  readonly marked: readonly XyPlace[];
  /** The pointer is near another row, or near none. */
  readonly onPoint: (place: XyPlace | undefined) => void;
}

/** Lines over numbers, drawn on a canvas of its own: uPlot wants x in order. */
export function XyChart(props: XyChartProps) {
  const { title, xLabel, yLabel, lines, width, height, isMap, marked, onPoint } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const points = useMemo(() => lines.map(({ rows }) => rows), [lines]);
  const scales = useMemo(() => scalesOf(points, width, height, isMap), [points, width, height, isMap]);
  useLayoutEffect(() => {
    const { current } = canvas;
    if (current === null) return;
    const ratio = devicePixelRatio;
    current.width = width * ratio;
    current.height = height * ratio;
    const pen = current.getContext('2d')!;
    pen.scale(ratio, ratio);
    drawAxes(pen, scales, width, height, xLabel, yLabel);
    pen.lineWidth = 1.5;
    pen.lineJoin = 'round';
    for (const { rows, colour, dash } of lines) {
      pen.setLineDash([...dash]);
      if (rows.shade === undefined) drawLine(pen, rows, colour, scales);
      else drawShaded(pen, rows, rows.shade, scales);
    }
  }, [lines, scales, width, height, xLabel, yLabel]);
  return (
    <figure class="plot xy">
      <canvas
        ref={canvas}
        class="line-chart"
        width={width}
        height={height}
        role="img"
        aria-label={`${title}: ${lines.map(({ label }) => label).join(', ')}`}
        onPointerMove={({ offsetX, offsetY }) => onPoint(nearestPoint(points, scales, offsetX, offsetY))}
        onPointerLeave={() => onPoint(undefined)}
      />
      {marked.map(({ line, row }) => {
        const own = lines[line];
        if (own === undefined || row >= own.rows.x.length) return null;
        const [left, top] = [scales.xOf(own.rows.x[row]!), scales.yOf(own.rows.y[row]!)];
        return (
          <i key={line} class="dot" style={{ background: own.colour, left: `${left}px`, top: `${top}px` }} />
        );
      })}
    </figure>
  );
}

function drawAxes(
  pen: CanvasRenderingContext2D,
  { across, up, xOf, yOf }: XyScales,
  width: number,
  height: number,
  xLabel: string,
  yLabel: string,
): void {
  const style = getComputedStyle(document.documentElement);
  const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
  pen.clearRect(0, 0, width, height);
  pen.font = '11px system-ui, sans-serif';
  pen.fillStyle = style.getPropertyValue('--ink-soft');
  pen.strokeStyle = style.getPropertyValue('--grid');
  pen.lineWidth = 1;
  pen.textAlign = 'center';
  for (const tick of roundNumbers(across, inner.width / 90)) {
    segment(pen, xOf(tick), margin.top, xOf(tick), margin.top + inner.height);
    pen.fillText(numberText(tick), xOf(tick), height - 20);
  }
  pen.fillText(xLabel, margin.left + inner.width / 2, height - 5);
  pen.textAlign = 'right';
  for (const tick of roundNumbers(up, inner.height / 40)) {
    segment(pen, margin.left, yOf(tick), margin.left + inner.width, yOf(tick));
    pen.fillText(numberText(tick), margin.left - 6, yOf(tick) + 4);
  }
  pen.textAlign = 'left';
  pen.fillText(yLabel, margin.left + 4, margin.top + 12);
}

/** Pixels; of rows between two gaps. */
const dotSize = 3;

function drawLine(pen: CanvasRenderingContext2D, rows: XyRows, colour: string, { xOf, yOf }: XyScales): void {
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

function drawShaded(
  pen: CanvasRenderingContext2D,
  rows: XyRows,
  shade: readonly number[],
  { xOf, yOf }: XyScales,
): void {
  const { x, y, gaps } = rows;
  const [low, high] = reach(shade);
  const levelOf = (row: number) =>
    Math.min(shades - 1, Math.floor(((shade[row]! - low) / (high - low)) * shades));
  for (let level = 0; level < shades; level++) {
    pen.strokeStyle = viridis(level / (shades - 1));
    pen.fillStyle = pen.strokeStyle;
    pen.beginPath();
    let drawn = 0;
    for (let i = 0; i < x.length; i++) {
      if (levelOf(i) !== level) continue;
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
