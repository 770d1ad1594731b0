import type { Separator } from './text-layout.ts';

/** Counts numbers with a comma, and with a point, before their decimals. */
export interface DecimalsSeen {
  see(cell: string): void;
  /** Whether there was one. */
  any(): boolean;
  /** Undefined where neither was seen. */
  decimal(separator: Separator): '.' | ',' | undefined;
}

/** With a unit behind it, which begins with no digit. */
const rest = '(?:[eEdD][-+]?\\d+)?\\s*(?:[^\\s\\d.,].{0,14})?$';
const commaForm = new RegExp(
  `^\\s*[-+\u2212]?(?:\\d*|\\d{1,3}(?:[. \u00a0\u2009\u202f'’]\\d{3})+),\\d+${rest}`,
);
const pointForm = new RegExp(
  `^\\s*[-+\u2212]?(?:\\d*|\\d{1,3}(?:[, \u00a0\u2009\u202f'’]\\d{3})+)\\.\\d+${rest}`,
);

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
