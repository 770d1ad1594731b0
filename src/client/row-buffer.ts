import { type PendingRow, sizeOf } from './rows.ts';

/** What a request holds at most; it may have one row more than the bytes. */
export interface BatchLimits {
  readonly maxRows: number;
  readonly maxBytes: number;
}

/** Rows that wait for a request of their own, in the order in which they were written. */
export class RowBuffer {
  readonly #limits: BatchLimits;
  #rows: PendingRow[] = [];
  /** About what the rows take in a request. */
  #bytes = 0;

  constructor(limits: BatchLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#rows.length;
  }

  /** There is enough for a request that is full. */
  get fillsRequest(): boolean {
    return this.#rows.length >= this.#limits.maxRows || this.#bytes >= this.#limits.maxBytes;
  }

  push(row: PendingRow): void {
    this.#rows.push(row);
    this.#bytes += sizeOf(row);
  }

  /** Removes and returns the oldest rows, as many as a request holds. */
  takeBatch(): PendingRow[] {
    const { maxRows, maxBytes } = this.#limits;
    let bytes = 0;
    let count = 0;
    while (count < this.#rows.length && count < maxRows && bytes < maxBytes) {
      bytes += sizeOf(this.#rows[count++]!);
    }
    const batch = this.#rows.slice(0, count);
    this.#rows = this.#rows.slice(count);
    this.#bytes = Math.max(0, this.#bytes - bytes);
    return batch;
  }

  /** Gives up the oldest tenth, one row at least. Returns how many. */
  dropOldest(): number {
    const dropped = Math.ceil(this.#rows.length / 10);
    for (const row of this.#rows.slice(0, dropped)) this.#bytes -= sizeOf(row);
    this.#rows = this.#rows.slice(dropped);
    return dropped;
  }

  clear(): void {
    this.#rows = [];
    this.#bytes = 0;
  }
}
