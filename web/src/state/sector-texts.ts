import { number } from './text-parts.ts';

/** Marks along the way in order, each once; there are no more than a table has columns for. */
export function sectorsOf(text: string): number[] {
  const marks = text.split('~').flatMap((part) => number(part) ?? []);
  return [...new Set(marks.filter((mark) => mark > 0))].sort((a, b) => a - b).slice(0, mostSectors - 1);
}

/** Each is a column of the table, and one of a query, which has 100 at most. */
export const mostSectors = 40;
