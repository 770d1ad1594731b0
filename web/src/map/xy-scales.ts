import { type Bounds, shareOf, widened } from '../lines/bounds.ts';

/** Numbers across and up, in any order of x: laps cross the same place again and again. */
interface XyPoints {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/** Pixels around what is drawn. */
export const margin = { left: 64, right: 12, top: 8, bottom: 36 };

/** Where numbers are drawn, in pixels. */
export interface XyScales {
  readonly across: Bounds;
  readonly up: Bounds;
  xOf(value: number): number;
  yOf(value: number): number;
}

/** Scales that all points fit in; of a map one unit across is as long as one unit up. */
export function scalesOf(
  lines: readonly XyPoints[],
  width: number,
  height: number,
  isMap: boolean,
): XyScales {
  const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
  const x = reach(lines.flatMap((line) => extremesOf(line.x)));
  const y = widened(reach(lines.flatMap((line) => extremesOf(line.y))), 0.05);
  const [across, up] = isMap ? mapBounds(x, y, inner.width / inner.height) : [x, y];
  return {
    across,
    up,
    xOf: (value) => margin.left + shareOf(value, across) * inner.width,
    yOf: (value) => margin.top + (1 - shareOf(value, up)) * inner.height,
  };
}

/** The height that a map of so many pixels across needs: more would be empty. */
export function mapHeight(lines: readonly XyPoints[], width: number): number {
  const [left, right] = reach(lines.flatMap((line) => extremesOf(line.x)));
  const [low, high] = reach(lines.flatMap((line) => extremesOf(line.y)));
  const inner = (width - margin.left - margin.right) * (((high - low) * 1.1) / (right - left));
  return Math.ceil(inner) + margin.top + margin.bottom;
}

/** So many pixels from a point one still means it. */
const meantPixels = 24;

/** The point that is drawn nearest to a pixel. */
export function nearestPoint(
  lines: readonly XyPoints[],
  { xOf, yOf }: XyScales,
  left: number,
  top: number,
): { readonly line: number; readonly row: number } | undefined {
  let nearest: { line: number; row: number } | undefined;
  let distance = meantPixels;
  for (const [line, { x, y }] of lines.entries()) {
    for (let row = 0; row < x.length; row++) {
      const own = Math.hypot(xOf(x[row]!) - left, yOf(y[row]!) - top);
      if (own >= distance) continue;
      nearest = { line, row };
      distance = own;
    }
  }
  return nearest;
}

/** Smallest and largest of the finite ones; nothing where there are none. */
export function extremesOf(values: ArrayLike<number> = []): readonly number[] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [];
}

/** The same, never two that are equal; 0 and 1 where there are none. */
export function reach(values: ArrayLike<number>): [number, number] {
  const [low, high] = extremesOf(values);
  if (low === undefined || high === undefined) return [0, 1];
  // Of a very large number a half is nothing.
  const half = low === high ? Math.max(0.5, Math.abs(low) * 1e-9) : 0;
  return widened([low - half, high], 0, half > 0 ? 1 : 0);
}

/** Bounds around the same middle with the given ratio of width to height. */
function mapBounds(x: Bounds, y: Bounds, ratio: number): [Bounds, Bounds] {
  const width = Math.max(x[1] - x[0], (y[1] - y[0]) * ratio) * 1.04;
  const height = width / ratio;
  const middle = [(x[0] + x[1]) / 2, (y[0] + y[1]) / 2] as const;
  return [
    [middle[0] - width / 2, middle[0] + width / 2],
    [middle[1] - height / 2, middle[1] + height / 2],
  ];
}
