import { defaultRetry, longestTimerMs, type Retry, retryOf } from './backoff.ts';
import { RowBuffer } from './row-buffer.ts';
import { RowSender, RowsRejected } from './row-sender.ts';
import { checkRow, type PendingRow, type Row } from './rows.ts';
import { RowsGivenUp } from './rows-given-up.ts';
import { tell } from './tell.ts';
import type { Transport } from './transport.ts';
import { withDefaults } from './with-defaults.ts';

export type { Row };
export { RowsGivenUp, RowsRejected };

/** What happens to a row for which the buffer has no room. */
export type WhenFull =
  /** `write` resolves when there is room again. */
  | 'wait'
  /** The oldest rows that are not on their way yet are given up, and `onDropped` is told. */
  | 'dropOldest'
  /** `write` rejects with BufferFull. */
  | 'refuse';

export interface WriterOptions {
  /** A request goes when it has so many rows, … */
  readonly maxRows?: number;
  /** … or about so many bytes, … */
  readonly maxBytes?: number;
  /** … or when its first row has waited for so many milliseconds. */
  readonly maxDelayMs?: number;
  /** The maximum of rows in memory, those on their way included. */
  readonly maxBufferedRows?: number;
  readonly whenFull?: WhenFull;
  /** The pauses between attempts; there are attempts until one succeeds or the writer is closed in haste. */
  readonly retry?: Partial<Omit<Retry, 'attempts'>>;
  /** Told of rows that the service refuses; the rows beside them are written all the same. */
  readonly onRejected?: (rejected: RowsRejected) => void;
  /** Told of rows that were given up, with `dropOldest`: how many, and which. */
  readonly onDropped?: (rows: number, dropped: RowsGivenUp['rows']) => void;
  /** Told of rows that are older than the retention of their topic: the service has taken and not kept them. */
  readonly onExpired?: (rows: number) => void;
}

export class BufferFull extends Error {
  constructor(rows: number) {
    super(`the writer holds ${rows} rows that the service has not taken yet`);
    this.name = 'BufferFull';
  }
}

/**
 * Gathers rows of any streams of one topic to requests, sent one after another, so that rows keep their order. A request
 * that fails is sent again until it succeeds, which is harmless because rows have an identity.
 */
export interface Writer {
  /**
   * Resolves when the row is in the buffer, which is nearly always at once. The row is not copied: leave it as it is until it
   * is written. Rejects with a TypeError where it has a property that rows do not have.
   */
  write(streamId: string, row: Row): Promise<void>;
  /**
   * Resolves when every row written before is durable. Rejects with RowsRejected if the service refused some of
   * those since the last flush, with the first 1000 of them.
   */
  flush(): Promise<void>;
  /**
   * Flushes and takes no more. After `patienceMs` rows that are still not written are given up, and it rejects with
   * RowsGivenUp, as do the writes that wait for room.
   */
  close(patienceMs?: number): Promise<void>;
  /** Rows in memory. */
  readonly buffered: number;
}

const defaults = {
  maxRows: 5000,
  maxBytes: 1 << 20,
  maxDelayMs: 200,
  maxBufferedRows: 200_000,
  whenFull: 'wait' as WhenFull,
};

/** Throws where no row would ever be sent, or `whenFull` is none that there is. */
function checkSettings({ maxDelayMs, whenFull, ...most }: typeof defaults): void {
  for (const name of ['maxRows', 'maxBytes', 'maxBufferedRows'] as const)
    if (!(most[name] >= 1)) throw new RangeError(`${name} is a number from 1, not ${most[name]}`);
  if (!(maxDelayMs >= 0)) throw new RangeError(`maxDelayMs is a number from 0, not ${maxDelayMs}`);
  if (!['wait', 'dropOldest', 'refuse'].includes(whenFull))
    throw new TypeError(`whenFull is wait, dropOldest or refuse, not ${whenFull}`);
}

export function createWriter(transport: Transport, topic: string, options: WriterOptions = {}): Writer {
  return new BatchingWriter(transport, topic, options);
}

/** A write that waits for room. */
interface WaitingWrite {
  readonly pending: PendingRow;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Its methods stand on their own, so that a caller may pass them on without the writer. */
class BatchingWriter implements Writer {
  readonly #settings: typeof defaults & WriterOptions;
  readonly #waiting: RowBuffer;
  readonly #sender: RowSender;
  /** Aborts when `close` has lost its patience. */
  readonly #ending = new AbortController();
  /** Rows of the request that is on its way. */
  #underWay = 0;
  /** The request on its way, of which there is one at a time. */
  #sending: Promise<void> | undefined;
  /** Begins the request of rows that have waited for `maxDelayMs`. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Rows that have come into the buffer. */
  #taken = 0;
  /** Flushes that are under way: rows do not wait for others. */
  #flushes = 0;
  #isClosed = false;
  /** Writes that wait for room, in their order. Where one does the buffer is full, so none overtakes it. */
  #line: WaitingWrite[] = [];

  constructor(transport: Transport, topic: string, options: WriterOptions) {
    this.#settings = withDefaults(defaults, options);
    checkSettings(this.#settings);
    this.#waiting = new RowBuffer(this.#settings);
    this.#sender = new RowSender({
      transport,
      topic,
      retry: retryOf(defaultRetry, options.retry),
      signal: this.#ending.signal,
      onRejected: (rejected) => tell(options.onRejected, rejected),
      onExpired: (rows) => tell(options.onExpired, rows),
    });
  }

  get buffered(): number {
    return this.#waiting.length + this.#underWay;
  }

  readonly write = async (streamId: string, row: Row): Promise<void> => {
    if (this.#isClosed) throw new Error('the writer is closed');
    const pending = { streamId, row };
    checkRow(pending);
    if (this.#hasRoom()) this.#take(pending);
    else
      await new Promise<void>((resolve, reject) => {
        this.#line.push({ pending, resolve, reject });
        this.#sendBatch();
      });
  };

  readonly flush = async (): Promise<void> => {
    this.#flushes++;
    try {
      this.#sendBatch();
      const end = this.#taken + this.#line.length;
      for (let isLast = false; !isLast && this.#sending !== undefined; ) {
        // Rows leave in their order: where none of these waits any more, the last are on their way.
        isLast = this.#taken - this.#waiting.length >= end;
        await this.#sending;
      }
    } finally {
      this.#flushes--;
    }
    // Each flush that waited for the rows is told of them.
    const rejection = this.#sender.rejection();
    if (this.#flushes === 0) this.#sender.forgetRejected();
    if (rejection !== undefined) throw rejection;
  };

  readonly close = async (patienceMs = 30_000): Promise<void> => {
    this.#isClosed = true;
    const impatience =
      patienceMs > longestTimerMs ? undefined : setTimeout(() => this.#giveUp(patienceMs), patienceMs);
    try {
      await this.flush();
    } finally {
      clearTimeout(impatience);
      clearTimeout(this.#timer);
    }
  };

  #giveUp(patienceMs: number): void {
    const rows = [
      ...(this.#sending === undefined ? [] : this.#sender.left),
      ...this.#waiting.takeAll(),
      ...this.#line.map(({ pending }) => pending),
    ];
    this.#ending.abort(new RowsGivenUp(rows, patienceMs, this.#sender.rejection()));
  }

  /** Whether one more row has room now, as `whenFull` says. Throws BufferFull. */
  #hasRoom(): boolean {
    const { maxBufferedRows, whenFull, onDropped } = this.#settings;
    while (this.buffered >= maxBufferedRows) {
      if (whenFull === 'refuse') throw new BufferFull(this.buffered);
      if (whenFull === 'wait' || this.#waiting.length === 0) return false;
      const dropped = this.#waiting.dropOldest();
      tell(onDropped, dropped.length, dropped);
    }
    return true;
  }

  #take(pending: PendingRow): void {
    this.#waiting.push(pending);
    this.#taken++;
    this.#schedule();
  }

  /** Sends what waits, now or when its time has come. */
  #schedule(): void {
    if (this.#sending !== undefined || this.#waiting.length === 0) return;
    if (this.#flushes > 0 || this.#waiting.fillsRequest) this.#sendBatch();
    else
      this.#timer ??= setTimeout(
        () => this.#sendBatch(),
        Math.min(this.#settings.maxDelayMs, longestTimerMs),
      );
  }

  #sendBatch(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#sending !== undefined || this.#waiting.length === 0 || this.#ending.signal.aborted) return;
    const batch = this.#waiting.takeBatch();
    this.#underWay = batch.length;
    this.#sending = this.#sender.send(batch).finally(() => {
      this.#underWay = 0;
      this.#sending = undefined;
      this.#schedule();
      this.#admit();
    });
  }

  /** Takes the rows that were in line, as far as there is room. */
  #admit(): void {
    const { signal } = this.#ending;
    if (signal.aborted) {
      for (const { reject } of this.#line) reject(signal.reason as Error);
      this.#line = [];
      return;
    }
    let admitted = 0;
    while (admitted < this.#line.length && this.#hasRoom()) {
      const { pending, resolve } = this.#line[admitted++]!;
      this.#take(pending);
      resolve();
    }
    this.#line = this.#line.slice(admitted);
    if (this.#line.length > 0) this.#sendBatch();
  }
}
