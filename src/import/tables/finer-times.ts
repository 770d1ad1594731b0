import { isFinerThanNs } from '../text/cells.ts';
import { plainText, type TimeForm } from '../text/text-layout.ts';
import type { Cell } from './table-source.ts';
import { cellText } from './time-facts.ts';

/** Counts times that had more digits than nanoseconds have, and were rounded. */
export class FinerTimes {
  readonly #form: TimeForm;
  #count = 0;
  #first = '';

  /** @param form of numbers; a text that is none is a date */
  constructor(form: TimeForm) {
    this.#form = form;
  }

  /** @param row from 1 */
  see(cell: Cell, row: number): void {
    if (cell === null || typeof cell === 'bigint' || cell instanceof Uint8Array) return;
    if (typeof cell === 'number' && Number.isInteger(cell)) return;
    const text = cellText(cell);
    if (text.length <= 10) return;
    const form = typeof cell === 'string' && Number.isNaN(Number(text)) ? 'iso' : this.#form;
    if (!isFinerThanNs(text, form)) return;
    if (this.#count++ === 0) this.#first = `row ${row}: '${plainText(text.slice(0, 40))}'`;
  }

  /** One where there are such times. */
  notes(): string[] {
    return this.#count === 0
      ? []
      : [`times finer than a nanosecond, rounded: ${this.#count} (${this.#first})`];
  }
}
