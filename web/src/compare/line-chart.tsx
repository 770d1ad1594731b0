import { useEffect, useRef } from 'preact/hooks';
import { numberText } from '../look/cursor.ts';

/** One line, its points in any order of x: laps cross the same distance again and again. */
export interface Line {
  readonly label: string;
  readonly colour: string;
  readonly x: readonly number[];
  readonly y: readonly number[];
  /** Per point a number that colours it; the line has one colour without it. */
  readonly shade?: readonly number[];
}

export interface LineChartProps {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
  /** One unit across is as long as one unit up: maps. */
  readonly isMap?: boolean;
}

interface Bounds {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
}

const margin = { left: 64, right: 12, top: 8, bottom: 36 };

/** Lines over numbers, drawn on a canvas of its own: uPlot wants x in order. */
export function LineChart({ title, xLabel, yLabel, lines, width, height, isMap = false }: LineChartProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const { current } = canvas;
    if (current === null) return;
    const ratio = devicePixelRatio;
    current.width = width * ratio;
    current.height = height * ratio;
    const pen = current.getContext('2d')!;
    pen.scale(ratio, ratio);
    draw(pen, lines, width, height, isMap, xLabel, yLabel);
  }, [lines, width, height, isMap, xLabel, yLabel]);
  return (
    <figure class="plot">
      <canvas
        ref={canvas}
        class="line-chart"
        width={width}
        height={height}
        role="img"
        aria-label={`${title}: ${lines.map(({ label }) => label).join(', ')}`}
      />
    </figure>
  );
}

function draw(
  pen: CanvasRenderingContext2D,
  lines: readonly Line[],
  width: number,
  height: number,
  isMap: boolean,
  xLabel: string,
  yLabel: string,
): void {
  const style = getComputedStyle(document.documentElement);
  const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
  const bounds = isMap ? mapBounds(boundsOf(lines), inner.width / inner.height) : boundsOf(lines);
  const xOf = (x: number) => margin.left + ((x - bounds.x[0]) / (bounds.x[1] - bounds.x[0])) * inner.width;
  const yOf = (y: number) =>
    margin.top + (1 - (y - bounds.y[0]) / (bounds.y[1] - bounds.y[0])) * inner.height;
  pen.clearRect(0, 0, width, height);
  pen.font = '11px system-ui, sans-serif';
  pen.fillStyle = style.getPropertyValue('--ink-soft');
  pen.strokeStyle = style.getPropertyValue('--grid');
  pen.lineWidth = 1;
  pen.textAlign = 'center';
  for (const tick of ticks(bounds.x, inner.width / 90)) {
    segment(pen, xOf(tick), margin.top, xOf(tick), margin.top + inner.height);
    pen.fillText(numberText(tick), xOf(tick), height - 20);
  }
  pen.fillText(xLabel, margin.left + inner.width / 2, height - 5);
  pen.textAlign = 'right';
  for (const tick of ticks(bounds.y, inner.height / 40)) {
    segment(pen, margin.left, yOf(tick), margin.left + inner.width, yOf(tick));
    pen.fillText(numberText(tick), margin.left - 6, yOf(tick) + 4);
  }
  pen.textAlign = 'left';
  pen.fillText(yLabel, margin.left + 4, margin.top + 12);
  pen.lineWidth = 1.5;
  pen.lineJoin = 'round';
  for (const line of lines) {
    if (line.shade === undefined) drawLine(pen, line, xOf, yOf);
    else drawShaded(pen, line, line.shade, xOf, yOf);
  }
}

type Scale = (value: number) => number;

function drawLine(pen: CanvasRenderingContext2D, { x, y, colour }: Line, xOf: Scale, yOf: Scale): void {
  pen.strokeStyle = colour;
  pen.beginPath();
  for (let i = 0; i < x.length; i++) pen[i === 0 ? 'moveTo' : 'lineTo'](xOf(x[i]!), yOf(y[i]!));
  pen.stroke();
}

/** So many colours are drawn; segments of one colour are one path. */
const shades = 24;

function drawShaded(
  pen: CanvasRenderingContext2D,
  { x, y }: Line,
  shade: readonly number[],
  xOf: Scale,
  yOf: Scale,
): void {
  const [low, high] = reach(shade);
  for (let level = 0; level < shades; level++) {
    pen.strokeStyle = shadeColour(level / (shades - 1));
    pen.beginPath();
    for (let i = 1; i < x.length; i++) {
      if (Math.min(shades - 1, Math.floor(((shade[i]! - low) / (high - low)) * shades)) !== level) continue;
      pen.moveTo(xOf(x[i - 1]!), yOf(y[i - 1]!));
      pen.lineTo(xOf(x[i]!), yOf(y[i]!));
    }
    pen.stroke();
  }
}

/** From blue over green to yellow and red, even in lightness. */
export function shadeColour(share: number): string {
  return `oklch(0.68 0.17 ${Math.round(262 - 235 * share)})`;
}

function segment(pen: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  pen.beginPath();
  pen.moveTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
  pen.lineTo(Math.round(x2) + 0.5, Math.round(y2) + 0.5);
  pen.stroke();
}

function boundsOf(lines: readonly Line[]): Bounds {
  const x = reach(lines.flatMap((line) => reach(line.x)));
  const [low, high] = reach(lines.flatMap((line) => reach(line.y)));
  const room = (high - low) * 0.05;
  return { x, y: [low - room, high + room] };
}

/** Smallest and largest, never the same. */
export function reach(values: readonly number[]): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return [0, 1];
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}

/** Bounds around the same middle with the given ratio of width to height. */
function mapBounds({ x, y }: Bounds, ratio: number): Bounds {
  const width = Math.max(x[1] - x[0], (y[1] - y[0]) * ratio) * 1.04;
  const height = width / ratio;
  const middle = [(x[0] + x[1]) / 2, (y[0] + y[1]) / 2] as const;
  return {
    x: [middle[0] - width / 2, middle[0] + width / 2],
    y: [middle[1] - height / 2, middle[1] + height / 2],
  };
}

/** Round numbers within bounds, about so many. */
export function ticks([low, high]: readonly [number, number], count: number): number[] {
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((digit) => digit * power >= rough) ?? 10);
  const found: number[] = [];
  for (let tick = Math.ceil(low / step); tick * step <= high; tick++)
    found.push(Number((tick * step).toPrecision(12)));
  return found;
}
