import type { Bounds } from '../lines/bounds.ts';

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
  const x = reach(lines.flatMap((line) => reach(line.x)));
  const [low, high] = reach(lines.flatMap((line) => reach(line.y)));
  const room = (high - low) * 0.05;
  const y: Bounds = [low - room, high + room];
  const [across, up] = isMap ? mapBounds(x, y, inner.width / inner.height) : [x, y];
  return {
    across,
    up,
    xOf: (value) => margin.left + ((value - across[0]) / (across[1] - across[0])) * inner.width,
    yOf: (value) => margin.top + (1 - (value - up[0]) / (up[1] - up[0])) * inner.height,
  };
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
function mapBounds(x: Bounds, y: Bounds, ratio: number): [Bounds, Bounds] {
  const width = Math.max(x[1] - x[0], (y[1] - y[0]) * ratio) * 1.04;
  const height = width / ratio;
  const middle = [(x[0] + x[1]) / 2, (y[0] + y[1]) / 2] as const;
  return [
    [middle[0] - width / 2, middle[0] + width / 2],
    [middle[1] - height / 2, middle[1] + height / 2],
  ];
}

/** The row that is nearest to a place on the axis of the plots; undefined beyond the rows and in a gap between them. */
export function nearestRow(places: readonly number[], gaps: Uint8Array, at: number): number | undefined {
  let nearest: number | undefined;
  let distance = Number.POSITIVE_INFINITY;
  for (const [row, place] of places.entries()) {
    const own = Math.abs(place - at);
    if (own >= distance) continue;
    nearest = row;
    distance = own;
  }
  if (nearest === undefined || distance === 0) return nearest;
  const isBetween = (row: number) => {
    const [a, b] = [places[row - 1], places[row]];
    if (a === undefined || b === undefined || gaps[row] === 1) return false;
    return (a <= at && at <= b) || (b <= at && at <= a);
  };
  return isBetween(nearest) || isBetween(nearest + 1) ? nearest : undefined;
}
