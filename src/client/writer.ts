import { endOf } from './answers.ts';
import { backoff, defaultRetry, pause, type Retry } from './backoff.ts';
import { encodeParameterData } from './parameter-data.ts';
import { RequestError } from './request-error.ts';
import { checkRow, columnsOf, type PendingRow, type Row, sizeOf } from './rows.ts';
import { isWorthRepeating, retryAfterOf, type Transport } from './transport.ts';

export type { Row };

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
  /** Told of rows that were given up, with `dropOldest`. */
  readonly onDropped?: (rows: number) => void;
}

/** Rows that the service refused, or that could not be sent, and why; trying again would not help. */
export class RowsRejected extends Error {
  readonly rows: readonly { readonly streamId: string; readonly row: Row }[];

  constructor(rows: readonly PendingRow[], cause: Error, count = rows.length) {
    const what = cause instanceof RequestError ? 'the service refused' : 'the writer could not send';
    super(`${what} ${count} row(s): ${cause.message}`, { cause });
    this.name = 'RowsRejected';
    this.rows = rows;
  }
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
  /** Flushes and takes no more. After `patienceMs` rows that are still not written are given up, and it rejects. */
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

/** So many refused rows are kept for the next flush; `onRejected` is told of all. */
const maxRejected = 1000;

export function createWriter(transport: Transport, topic: string, options: WriterOptions = {}): Writer {
  const settings = { ...defaults, ...options };
  const retry: Retry = { ...defaultRetry, ...options.retry };
  const path = `/topics/${encodeURIComponent(topic)}/parameters/data`;
  const ending = new AbortController();
  let waiting: PendingRow[] = [];
  let waitingBytes = 0;
  let underWay = 0;
  let rejected: { readonly rows: PendingRow[]; readonly cause: Error; count: number } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<void> | undefined;
  let flushing = false;
  let closed = false;
  let wakeWriters: (() => void)[] = [];

  const isDue = () => flushing || waiting.length >= settings.maxRows || waitingBytes >= settings.maxBytes;

  function schedule(): void {
    if (sending !== undefined || waiting.length === 0) return;
    if (isDue()) start();
    else timer ??= setTimeout(start, settings.maxDelayMs);
  }

  function start(): void {
    clearTimeout(timer);
    timer = undefined;
    if (sending !== undefined || waiting.length === 0) return;
    sending = send(takeBatch()).finally(() => {
      sending = undefined;
      const woken = wakeWriters;
      wakeWriters = [];
      for (const wake of woken) wake();
      schedule();
    });
  }

  function takeBatch(): PendingRow[] {
    let bytes = 0;
    let count = 0;
    while (count < waiting.length && count < settings.maxRows && bytes < settings.maxBytes) {
      bytes += sizeOf(waiting[count++]!);
    }
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    waitingBytes = Math.max(0, waitingBytes - bytes);
    underWay = count;
    return batch;
  }

  async function send(batch: readonly PendingRow[]): Promise<void> {
    try {
      await sendRows(batch);
    } finally {
      underWay = 0;
    }
  }

  /** Sends rows until they are taken; what is refused is halved until the bad rows stand alone. */
  async function sendRows(rows: readonly PendingRow[]): Promise<void> {
    const refusal = await tryUntilAnswered(rows);
    if (refusal === undefined) return;
    const isAboutRows = refusal instanceof RequestError && [400, 413].includes(refusal.status);
    if (rows.length > 1 && isAboutRows) {
      const half = rows.length >> 1;
      await sendRows(rows.slice(0, half));
      await sendRows(rows.slice(half));
      return;
    }
    const rejection = new RowsRejected(rows, refusal);
    rejected ??= { rows: [], cause: refusal, count: 0 };
    rejected.rows.push(...rows.slice(0, maxRejected - rejected.rows.length));
    rejected.count += rows.length;
    options.onRejected?.(rejection);
  }

  /** Why the rows are not taken, if they are not. */
  async function tryUntilAnswered(rows: readonly PendingRow[]): Promise<Error | undefined> {
    let body: object[];
    try {
      body = columnsOf(rows).map(encodeParameterData);
    } catch (error) {
      return error as Error;
    }
    for (let attempt = 1; ; attempt++) {
      try {
        await endOf(await transport.send('POST', path, body, { signal: ending.signal }));
        return undefined;
      } catch (error) {
        ending.signal.throwIfAborted();
        // Also what is no answer, such as a token that its function cannot get: thrown from here, nobody could catch it.
        if (!isWorthRepeating(error)) return error instanceof Error ? error : new Error(String(error));
        await pause(backoff(retry, attempt, retryAfterOf(error)), ending.signal);
      }
    }
  }

  async function makeRoom(): Promise<void> {
    while (waiting.length + underWay >= settings.maxBufferedRows) {
      if (settings.whenFull === 'refuse') throw new BufferFull(waiting.length + underWay);
      if (settings.whenFull === 'dropOldest' && waiting.length > 0) {
        const dropped = Math.ceil(waiting.length / 10);
        for (const row of waiting.slice(0, dropped)) waitingBytes -= sizeOf(row);
        waiting = waiting.slice(dropped);
        options.onDropped?.(dropped);
        continue;
      }
      start();
      await new Promise<void>((resolve) => wakeWriters.push(resolve));
      ending.signal.throwIfAborted();
    }
  }

  async function flush(): Promise<void> {
    flushing = true;
    try {
      start();
      while (sending !== undefined) await sending;
    } finally {
      flushing = false;
    }
    const told = rejected;
    rejected = undefined;
    if (told !== undefined) throw new RowsRejected(told.rows, told.cause, told.count);
  }

  return {
    async write(streamId, row) {
      if (closed) throw new Error('the writer is closed');
      checkRow(row);
      if (waiting.length + underWay >= settings.maxBufferedRows) await makeRoom();
      const pending = { streamId, row };
      waiting.push(pending);
      waitingBytes += sizeOf(pending);
      schedule();
    },
    flush,
    async close(patienceMs = 30_000) {
      closed = true;
      const impatience = setTimeout(() => {
        ending.abort(new Error(`${waiting.length + underWay} rows were not written within ${patienceMs} ms`));
      }, patienceMs);
      try {
        await flush();
      } finally {
        clearTimeout(impatience);
        clearTimeout(timer);
        waiting = [];
      }
    },
    get buffered() {
      return waiting.length + underWay;
    },
  };
}
