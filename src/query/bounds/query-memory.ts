import { PitwallError } from '../../errors.ts';

/** What one query may hold in memory on its way to an answer. */
export interface QueryMemory {
  /** What the query holds, without what is apart. */
  bytes(): number;
  /** Throws `query_too_large` where the query would hold too much, `overloaded` where all queries together would. */
  take(bytes: number): void;
  /** Gives back all that the query took. */
  release(): void;
  /** Memory for a part of the query that is worked on apart: with a limit of its own, to be released by itself. */
  apart(): QueryMemory;
}

/** Memory that all aggregating queries of a store share. */
export interface QueryMemoryPool {
  readonly usedBytes: number;
  open(): QueryMemory;
}

/** Bytes that queries hold, counted in memory that threads share: of all threads, then of each. */
export type QueryMemoryUse = Int32Array;

/** The count of so many threads, at 0. */
export function queryMemoryUse(threads: number): QueryMemoryUse {
  return new Int32Array(new SharedArrayBuffer(4 * (1 + threads)));
}

/** Takes what a thread holds out of the count: it has ended, and its queries with it. */
export function forgetThread(use: QueryMemoryUse, thread: number): void {
  Atomics.sub(use, 0, Atomics.exchange(use, 1 + thread, 0));
}

/**
 * @param queryBytes what one query may hold
 * @param totalBytes what all of them together may hold, on all threads; below 1 GiB
 * @param thread the place of this thread in `use`
 */
export function queryMemoryPool(
  queryBytes: number,
  totalBytes: number,
  use: QueryMemoryUse = queryMemoryUse(1),
  thread = 0,
): QueryMemoryPool {
  const add = (bytes: number): number => {
    Atomics.add(use, 1 + thread, bytes);
    return Atomics.add(use, 0, bytes) + bytes;
  };
  return {
    get usedBytes() {
      return Atomics.load(use, 0);
    },
    open,
  };

  function open(): QueryMemory {
    let own = 0;
    return {
      bytes: () => own,
      apart: open,
      take(wanted) {
        const bytes = Math.ceil(wanted);
        if (own + bytes > queryBytes) {
          const detail = `the query would take more than ${queryBytes} bytes of memory; ask for less time, fewer groups or columns, or wider buckets (medians, percentiles and modes keep every value)`;
          throw new PitwallError('query_too_large', { detail });
        }
        if (add(bytes) > totalBytes) {
          add(-bytes);
          const detail = `all queries together would take more than ${totalBytes} bytes of memory; try again`;
          throw new PitwallError('overloaded', { detail });
        }
        own += bytes;
      },
      release() {
        add(-own);
        own = 0;
      },
    };
  }
}

/** A copy of a typed array with room for more; what the new one takes is taken from the memory. */
export function enlarge<Values extends Float64Array | Uint32Array | Int32Array | Uint8Array | BigInt64Array>(
  values: Values,
  length: number,
  memory: QueryMemory,
): Values {
  memory.take((length - values.length) * values.BYTES_PER_ELEMENT);
  const larger = new (values.constructor as new (length: number) => Values)(length);
  larger.set(values as never);
  return larger;
}
