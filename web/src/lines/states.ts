import type { Place, Points } from './points.ts';
import { exactText, nearOf, type Reading } from './reading.ts';

/** A parameter as states along time. */
export interface StateLine {
  readonly points: Points;
  /** What its values are places in; without it, they are the states. */
  readonly texts?: readonly string[];
  /** What numbers are called; undefined of those that have no name. */
  readonly nameOf?: ((value: number) => string | undefined) | undefined;
  /** Where times are, on an axis that is not one of time. */
  readonly place?: Place;
}

/** A while with one state, or with several that no pixel tells apart. */
export interface State {
  readonly begin: number;
  readonly end: number;
  readonly text: string;
  /** What its colour is of: names of numbers may have the colour of others, numbers next to each other do not. */
  readonly value: string;
  readonly isMixed: boolean;
}

/** Where a state begins: at its row, or with its bucket. */
function beginOf({ points: { x, bucket, span }, place }: StateLine, point: number): number {
  if (place !== undefined) return place(span(point).from) ?? x[point]!;
  return x[point]! - Number(bucket ?? 0n) / 2e9;
}

/** A state holds until the next row; in front of a gap, as long as its row or its bucket. */
function endOf(line: StateLine, point: number): number {
  const { points, place } = line;
  const { x, gaps, bucket } = points;
  const next = point + 1;
  if (next < x.length && gaps[next] === 0) return beginOf(line, next);
  if (place !== undefined) return place(points.span(point).to) ?? x[point]!;
  return x[point]! + Number(bucket ?? 0n) / 2e9;
}

/** What a state is called, be it a text or a number. Of several rows: the first and the last text, the least and the largest number. */
export function stateText(line: StateLine, point: number): string {
  const { points, texts } = line;
  const textOf = (value: number) => textIn(line, value);
  const [low, high] = [textOf(points.low[point]!), textOf(points.high[point]!)];
  if (texts !== undefined && points.rows(point) > 1) return `first ${low}, last ${high}`;
  return low === high ? low : `${low} … ${high}`;
}

function textIn({ texts, nameOf }: StateLine, value: number): string {
  return texts === undefined ? (nameOf?.(value) ?? exactText(value)) : texts[value]!;
}

/** The states of a line in order of time; rows of one state that follow each other are one. */
export function statesOf(line: StateLine): State[] {
  const { low, high } = line.points;
  const found: (State & { end: number })[] = [];
  for (let i = 0; i < low.length; i++) {
    if (Number.isNaN(low[i]!)) continue;
    const isMixed = low[i] !== high[i];
    const text = isMixed ? '' : textIn(line, low[i]!);
    const [begin, end] = [beginOf(line, i), endOf(line, i)];
    const last = found.at(-1);
    if (last?.end === begin && last.text === text) last.end = end;
    else
      found.push({ begin, end, text, value: line.texts === undefined ? exactText(low[i]!) : text, isMixed });
  }
  return found;
}

/**
 * The state at a place: that of the last row before it, as long as it holds; undefined where there is none. `reach` is how
 * far from a row that stands alone one still means it.
 */
export function stateAt(line: StateLine, place: number, reach: number): Reading | undefined {
  const { points } = line;
  let low = 0;
  let high = points.x.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (beginOf(line, middle) <= place) low = middle + 1;
    else high = middle;
  }
  const isHeld = low > 0 && place <= endOf(line, low - 1);
  const near = [low - 1, low].find(
    (point) => point >= 0 && point < points.x.length && Math.abs(points.x[point]! - place) <= reach,
  );
  const point = isHeld ? low - 1 : near;
  if (point === undefined) return undefined;
  return {
    x: points.x[point]!,
    low: points.low[point]!,
    high: points.high[point]!,
    rows: points.rows(point),
    span: points.span(point),
    text: stateText(line, point),
    ...nearOf(points, point),
  };
}

/** More than this are no states. */
const mostStates = 32;

/** Whether a parameter has so few whole numbers that they may be states, as far as its points tell. */
export function mayBeStates(
  { low, high }: { readonly low: Iterable<number>; readonly high: Iterable<number> },
  most = mostStates,
): boolean {
  const values = new Set<number>();
  for (const column of [low, high]) {
    for (const value of column) {
      if (Number.isNaN(value)) continue;
      if (!Number.isInteger(value)) return false;
      values.add(value);
      if (values.size > most) return false;
    }
  }
  return values.size > 0;
}
