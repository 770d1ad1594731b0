import type { TimeRange } from '../state/view-text.ts';
import { nearestPlace, placeBefore } from './nearest.ts';
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
  /** Where it stands for the rows of a while: times that have the one that holds here. */
  readonly near?: TimeRange;
  /** Of numbers that were converted or calculated, which have more digits than mean anything. */
  readonly isRounded?: true;
  /** Of a row that was read for itself: what its pixel has. */
  readonly band?: Reading;
}

/**
 * The row at a place or the last one before it, or the point of several rows that is drawn there; undefined where nothing
 * is drawn: in a gap, before the first point and after the last one. `reach` is how far from a point one still means it.
 */
export function readingAt(points: Points, place: number, reach: number): Reading | undefined {
  const { x, low, high, gaps, bucket } = points;
  const find = bucket === undefined ? placeBefore : nearestPlace;
  const found = find(x, gaps, place, reach);
  if (found === undefined) return undefined;
  return {
    x: x[found]!,
    low: low[found]!,
    high: high[found]!,
    rows: points.rows(found),
    span: points.span(found),
    ...nearOf(points, found),
  };
}

/** Times that have the row at a place: those of its bucket, and of the one before where a line leads from there. */
export function nearOf(points: Points, bucket: number): Pick<Reading, 'near'> {
  if (points.bucket === undefined) return {};
  const { to } = points.span(bucket);
  const isLed = bucket > 0 && points.gaps[bucket] === 0;
  return { near: { from: points.span(isLed ? bucket - 1 : bucket).from, to } };
}

/** Whether the row that holds here is still on its way. */
export function isWaiting({ near }: Reading): boolean {
  return near !== undefined;
}

/** What the pixel of a row has beside it: `210.8 … 224.7`; empty where that is nothing else. */
export function bandText({ band }: Reading): string {
  return band === undefined || band.rows < 2 || band.low === band.high ? '' : valueText(band);
}

/** `213.4` for a row, or for several that are the same; `210.8 … 224.7` for others. */
export function valueText({
  low,
  high,
  text,
  isRounded,
}: Pick<Reading, 'low' | 'high' | 'text' | 'isRounded'>): string {
  if (text !== undefined) return text;
  const toText = isRounded ? numberText : exactText;
  return Object.is(low, high) ? toText(low) : `${toText(low)} … ${toText(high)}`;
}

/** The same where there is little room. */
export function shortValueText({ low, high, text }: Pick<Reading, 'low' | 'high' | 'text'>): string {
  return text ?? (Object.is(low, high) ? shortText(low) : `${shortText(low)} … ${shortText(high)}`);
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
  const five = Number(value.toPrecision(5));
  // The largest doubles are beyond themselves in five digits.
  const short = Number.isFinite(five) ? five : Math.sign(value) * Number.MAX_VALUE;
  return Math.abs(short) < longWhole ? numberText(short) : short.toExponential().replace('e+', 'e');
}
