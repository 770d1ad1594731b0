import { number } from './text-parts.ts';

/** Marks along the way in order, each once; there are no more than a table has columns for. */
export function sectorsOf(text: string): number[] {
  const marks = text.split('~').flatMap((part) => number(part) ?? []);
  return [...new Set(marks.filter((mark) => mark > 0))].sort((a, b) => a - b).slice(0, mostSectors - 1);
}

/** A round place for a mark on a lap: to the thousandth of it, a metre on a track. By hand one aims ten times better. */
export function roundMark(place: number, way: number, isByHand = false): number {
  const thousandth = Math.floor(Math.log10(way / 1000));
  const digits = Math.max(0, -thousandth) + (isByHand ? 1 : 0);
  return way > 0 && digits <= mostDigits ? Number(place.toFixed(digits)) : place;
}

/** No number is written with more behind the point. */
const mostDigits = 100;

/** Each is a column of the table, and one of a query, which has 100 at most. */
export const mostSectors = 40;
