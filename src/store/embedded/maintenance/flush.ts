import type { ErrorCode } from '../../../errors.ts';
import type { HeadSlab } from '../log/head.ts';
import { faultCodes, faultOf } from '../log/log-state.ts';
import { CommitsEnded } from '../manifest/commit-queue.ts';
import { type HeadSealerOptions, headSealer } from './seal-head.ts';

/** Turns closed slabs into parts, oldest first, and tries again where that fails. */
export interface Flusher {
  add(head: HeadSlab): void;
  /** Bytes of slabs that wait or are being sealed. */
  readonly waitingBytes: number;
  /** Why sealing does not get on, until it does. */
  readonly failure: ErrorCode | undefined;
  /** Resolves when the next slab is done or has failed. */
  progress(): Promise<void>;
  /** Resolves when no slab waits, when sealing does not get on, or after this time. */
  finish(timeMs: number): Promise<void>;
  close(): Promise<void>;
}

export interface FlushOptions extends HeadSealerOptions {
  /** When the first slab may be sealed: a start has better things to do. At once without it. */
  readonly begin?: Promise<void> | undefined;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

const retryMs = 2000;

export function flusher(options: FlushOptions): Flusher {
  const seal = headSealer(options);
  const queue: HeadSlab[] = [];
  let begun = options.begin === undefined;
  let working: Promise<void> | undefined;
  let failure: ErrorCode | undefined;
  let closed = false;
  /** No slab becomes parts any more. */
  let ended = false;
  let retryTimer: NodeJS.Timeout | undefined;
  let waiters: (() => void)[] = [];

  function start(): void {
    if (!begun || working !== undefined || closed || ended || queue.length === 0) return;
    working = work().finally(() => {
      working = undefined;
      wakeWaiters();
    });
  }

  function begin(): void {
    begun = true;
    start();
  }

  function wakeWaiters(): void {
    const woken = waiters;
    waiters = [];
    for (const wake of woken) wake();
  }

  function progress(): Promise<void> {
    return new Promise((resolve) => waiters.push(resolve));
  }

  async function work(): Promise<void> {
    for (let head = queue[0]; head !== undefined && !closed; head = queue[0]) {
      try {
        await seal(head);
      } catch (error) {
        if (!closed) failed(error);
        return;
      }
      queue.shift();
      failure = undefined;
      wakeWaiters();
    }
  }

  function failed(error: unknown): void {
    const before = failure;
    failure = faultCodes[faultOf(error)];
    if (error instanceof CommitsEnded) {
      ended = true;
      return;
    }
    if (failure !== before) {
      options.log.error(
        { error: (error as Error).message },
        'rows could not be moved from the log to parts; trying again',
      );
    }
    retryTimer = setTimeout(start, retryMs).unref();
  }

  options.begin?.then(begin);

  return {
    add(head) {
      queue.push(head);
      start();
    },
    get waitingBytes() {
      return queue.reduce((sum, { slab }) => sum + slab.bytes.length, 0);
    },
    get failure() {
      return failure;
    },
    progress,
    async finish(timeMs) {
      if (timeMs > 0) begin();
      let isOver = timeMs <= 0;
      const over = setTimeout(() => {
        isOver = true;
        wakeWaiters();
      }, timeMs);
      while (queue.length > 0 && failure === undefined && !isOver) await progress();
      clearTimeout(over);
    },
    async close() {
      closed = true;
      clearTimeout(retryTimer);
      await options.background.close();
      await working?.catch(() => undefined);
      wakeWaiters();
    },
  };
}
