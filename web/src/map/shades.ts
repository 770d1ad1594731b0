import { type Bounds, shareOf } from '../lines/bounds.ts';

/** Which of so many shades each row has, from that of the least value to that of the largest. */
export interface Shaded {
  /** Rows of each shade, in order. */
  readonly rowsOf: readonly (readonly number[])[];
  /** Rows without a finite number: they have no shade. */
  readonly without: readonly number[];
}

/** Rows by their values; one beyond the bounds has the shade of the bound. */
export function shadedRows(values: ArrayLike<number>, bounds: Bounds, shades: number): Shaded {
  const rowsOf: number[][] = Array.from({ length: shades }, () => []);
  const without: number[] = [];
  for (let row = 0; row < values.length; row++) {
    const level = Math.floor(shareOf(values[row]!, bounds) * shades);
    const rows = Number.isFinite(level) ? rowsOf[Math.min(shades - 1, Math.max(0, level))]! : without;
    rows.push(row);
  }
  return { rowsOf, without };
}
