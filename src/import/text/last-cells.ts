import type { DelimitedRow } from './delimited.ts';

/**
 * How short the last cells of rows are: whether the end of a file may have been cut off shows in them, for many programs end no
 * file with a line break.
 */
export class LastCells {
  #fewestLetters = Number.POSITIVE_INFINITY;
  #fewestDecimals = Number.POSITIVE_INFINITY;
  readonly #point: '.' | ',';

  constructor(decimal: '.' | ',') {
    this.#point = decimal;
  }

  see({ cells }: DelimitedRow): void {
    const cell = cells[cells.length - 1]!;
    if (cell.length < this.#fewestLetters) this.#fewestLetters = cell.length;
    if (this.#fewestDecimals === 0) return;
    const decimals = this.#decimalsOf(cell);
    if (decimals < this.#fewestDecimals) this.#fewestDecimals = decimals;
  }

  /** Whether a row ends in a cell with fewer letters, or fewer digits behind the point, than those of all others. */
  isShorter({ cells }: DelimitedRow): boolean {
    if (this.#fewestLetters === Number.POSITIVE_INFINITY) return false;
    const cell = cells[cells.length - 1]!;
    return cell.length < this.#fewestLetters || this.#decimalsOf(cell) < this.#fewestDecimals;
  }

  #decimalsOf(cell: string): number {
    const at = cell.lastIndexOf(this.#point);
    return at < 0 ? 0 : cell.length - at - 1;
  }
}
