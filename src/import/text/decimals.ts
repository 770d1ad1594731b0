import type { Separator } from './text-layout.ts';

/** Counts numbers with a comma, and with a point, before their decimals. */
export interface DecimalsSeen {
  see(cell: string): void;
  /** Whether there was one. */
  any(): boolean;
  /** Undefined where neither was seen. */
  decimal(separator: Separator): '.' | ',' | undefined;
}

const commaForm = /^\s*[-+]?(?:\d*|\d{1,3}(?:\.\d{3})+),\d+(?:[eE][-+]?\d+)?\s*$/;
const pointForm = /^\s*[-+]?(?:\d*|\d{1,3}(?:,\d{3})+)\.\d+(?:[eE][-+]?\d+)?\s*$/;

export function decimalsSeen(): DecimalsSeen {
  let commas = 0;
  let points = 0;
  return {
    see(cell) {
      if (cell.includes(',') && commaForm.test(cell)) commas++;
      else if (cell.includes('.') && pointForm.test(cell)) points++;
    },
    any: () => commas + points > 0,
    decimal(separator) {
      if (commas + points === 0) return undefined;
      // Between commas, cells with commas stand in quotes.
      return commas > (separator === ',' ? 2 * points : points) ? ',' : '.';
    },
  };
}
