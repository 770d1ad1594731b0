import { type Bounds, widened } from '../lines/bounds.ts';
import type { Line } from '../lines/points.ts';
import type { DrawnLine } from './draw-points.ts';
import { type Strip, stripsFoot } from './draw-strips.ts';

/** What is left for lines where much else is in a plot. */
const leastDrawn = 40;

/** What of a plot decides how far its axes reach. */
export interface ScaledPlot {
  readonly lines: readonly DrawnLine[];
  readonly bounds: Bounds;
  readonly height: number;
  readonly strips?: readonly Strip[];
  /** What was chosen, by unit. */
  readonly scales?: ReadonlyMap<string, Bounds>;
}

/** What the axis of a unit shows: what was chosen, or what fits. */
export function scaleRange(
  { lines, bounds, height, strips, scales }: ScaledPlot,
  unit: string,
): [number, number] {
  const isLog = lines.some((line) => line.unit === unit && line.isLog);
  if (isLog)
    return (scales?.get(unit)?.slice() as [number, number] | undefined) ?? logRange(lines, bounds, unit);
  const [low, high] = scales?.get(unit) ?? unitRange(lines, bounds, unit, height, stripsFoot(strips ?? []));
  return [low, high];
}

/** From the smallest to the largest value that is seen of a unit, and a little room; below for `foot` pixels of something else. */
function unitRange(
  lines: readonly DrawnLine[],
  bounds: Bounds,
  unit: string,
  height: number,
  foot = 0,
): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const line of lines) {
    if (line.unit !== unit) continue;
    const [least, most] = extremes(line.points, bounds);
    low = Math.min(low, least);
    high = Math.max(high, most);
  }
  if (low > high) return [0, 1];
  const room = low === high ? Math.abs(low) * 0.1 || 1 : 0;
  const drawn = Math.max(leastDrawn, height - foot);
  const wide = room > 0 ? widened([low - room, low], 0, 1) : widened([low, high], usualRoom);
  return told(widened(wide, foot / drawn, 0));
}

/** Of what is between the least and the largest value. */
const usualRoom = 0.06;

/** The same where it is not farther than a double can tell; else what is beyond the half of it leads out of the plot. */
function told([low, high]: [number, number]): [number, number] {
  const half = Number.MAX_VALUE / 2;
  return Number.isFinite(high - low) ? [low, high] : [Math.max(low, -half), Math.min(high, half)];
}

/**
 * Smallest and largest of the points within bounds, or where there are none, of those around that a line leads through
 * from. NaN and the infinities have no place on a scale.
 */
function extremes({ x, low, high, gaps }: Line, [from, to]: Bounds): [number, number] {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  const include = (i: number) => {
    if (low[i]! < least && Number.isFinite(low[i]!)) least = low[i]!;
    if (high[i]! > most && Number.isFinite(high[i]!)) most = high[i]!;
  };
  for (let i = 0; i < x.length; i++) if (x[i]! >= from && x[i]! <= to) include(i);
  if (least <= most) return [least, most];
  const after = x.findIndex((place) => place > to);
  if (after > 0 && gaps[after] === 0) for (const i of [after - 1, after]) include(i);
  return [least, most];
}

/** The same by the logarithm, of what is above 0. */
function logRange(lines: readonly DrawnLine[], bounds: Bounds, unit: string): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = 0;
  for (const line of lines) {
    if (line.unit !== unit) continue;
    const { x, gaps } = line.points;
    const above = (values: Float64Array) => values.map((value) => (value > 0 ? value : Number.NaN));
    const own = { x, gaps, low: above(line.points.low), high: above(line.points.high) };
    const [least, most] = extremes(own, bounds);
    low = Math.min(low, least);
    high = Math.max(high, most);
  }
  if (low > high) return [1, 10];
  const room = Math.max(1.1, 10 ** (usualRoom * (Math.log10(high) - Math.log10(low))));
  return [Math.max(low / room, Number.MIN_VALUE), Math.min(high * room, Number.MAX_VALUE)];
}
