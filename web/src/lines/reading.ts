import type { TimeRange } from '../state/view-text.ts';
import { nearestPlace } from './nearest.ts';
import type { Points } from './points.ts';
import { spanText, timeText } from './time-text.ts';

/** Where a line is read: smallest and largest value at a place, which are the same where there is one. */
export interface Mark {
  readonly x: number;
  readonly low: number;
  readonly high: number;
}

/** What stands at the cursor: the rows of one point. */
export interface Reading extends Mark {
  readonly rows: number;
  /** When, inclusive: both ends are the time of a row. */
  readonly span: TimeRange;
  /** Of states: what they are called. */
  readonly text?: string;
}

/**
 * The point that is drawn nearest to a place; undefined where nothing is drawn: in a gap, before the first point and after
 * the last one. `reach` is how far from a point one still means it.
 */
export function readingAt(points: Points, place: number, reach: number): Reading | undefined {
  const { x, low, high, gaps } = points;
  const nearest = nearestPlace(x, gaps, place, reach);
  if (nearest === undefined) return undefined;
  return {
    x: x[nearest]!,
    low: low[nearest]!,
    high: high[nearest]!,
    rows: points.rows(nearest),
    span: points.span(nearest),
  };
}

/** `213.4` for a row, or for several that are the same; `210.8 … 224.7` for others. */
export function valueText({ low, high, text }: Reading): string {
  if (text !== undefined) return text;
  return Object.is(low, high) ? exactText(low) : `${exactText(low)} … ${exactText(high)}`;
}

/** The exact time of a row; of a bucket how many rows it has, and from when to when. */
export function whenText({ rows, span }: Reading): string {
  if (span.from !== span.to) return `${rows} ${rows === 1 ? 'row' : 'rows'}, ${spanText(span)}`;
  return rows === 1 ? timeText(span.from) : `${rows} rows, ${timeText(span.from)}`;
}

/** A number with every digit that it needs to be read back as the same. */
export function exactText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

/** A number for the eye: nine digits. */
export function numberText(value: number): string {
  return Number.isInteger(value) || !Number.isFinite(value)
    ? String(value)
    : String(Number(value.toPrecision(9)));
}

/** Whole numbers from this on are written with a power of ten where there is little room. */
const longWhole = 1e9;

/** A number where there is little room: five digits, but never fewer than a number that is not long has before the point. */
export function shortText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  const isWhole = (Number.isInteger(value) || size >= 1e5) && size < longWhole;
  if (isWhole) return numberText(Math.round(value));
  const short = Number(value.toPrecision(5));
  return Math.abs(short) < longWhole ? numberText(short) : short.toExponential().replace('e+', 'e');
}
