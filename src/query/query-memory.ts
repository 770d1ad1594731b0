import { PitwallError } from '../errors.ts';

/** What one query may hold in memory on its way to an answer. */
export interface QueryMemory {
  /** Throws `query_too_large` where the query would hold too much, `overloaded` where all queries together would. */
  take(bytes: number): void;
  /** Gives back all that the query took. */
  release(): void;
}

/** Memory that all aggregating queries of a store share. */
export interface QueryMemoryPool {
  readonly usedBytes: number;
  open(): QueryMemory;
}

/**
 * @param queryBytes what one query may hold
 * @param totalBytes what all of them together may hold
 */
export function queryMemoryPool(queryBytes: number, totalBytes: number): QueryMemoryPool {
  let used = 0;
  return {
    get usedBytes() {
      return used;
    },
    open() {
      let own = 0;
      return {
        take(bytes) {
          if (own + bytes > queryBytes) {
            const detail = `the query would take more than ${queryBytes} bytes of memory; ask for less time, fewer groups or columns, or wider buckets (medians, percentiles and modes keep every value)`;
            throw new PitwallError('query_too_large', { detail });
          }
          if (used + bytes > totalBytes) {
            throw new PitwallError('overloaded', { detail: 'other queries take all the memory; try again' });
          }
          own += bytes;
          used += bytes;
        },
        release() {
          used -= own;
          own = 0;
        },
      };
    },
  };
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
