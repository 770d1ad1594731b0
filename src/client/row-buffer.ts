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

  /** Gives up the oldest tenth, one row at least, and returns it. */
  dropOldest(): PendingRow[] {
    const dropped = this.#rows.slice(0, Math.ceil(this.#rows.length / 10));
    for (const row of dropped) this.#bytes -= sizeOf(row);
    this.#rows = this.#rows.slice(dropped.length);
    return dropped;
  }

  /** Removes and returns all rows. */
  takeAll(): PendingRow[] {
    const rows = this.#rows;
    this.#rows = [];
    this.#bytes = 0;
    return rows;
  }
}
