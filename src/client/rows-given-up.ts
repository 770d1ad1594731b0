import type { RowsRejected } from './row-sender.ts';
import type { PendingRow } from './rows.ts';

/**
 * Rows that were still not written when `close` had lost its patience, in the order in which they were written. Those of the
 * request that was on its way may be there all the same; to write one again is harmless. `cause` tells of rows that were
 * refused since the last flush, which are not among these.
 */
export class RowsGivenUp extends Error {
  readonly rows: readonly PendingRow[];

  constructor(rows: readonly PendingRow[], patienceMs: number, rejected: RowsRejected | undefined) {
    super(`${rows.length} rows were not written within ${patienceMs} ms`, rejected && { cause: rejected });
    this.name = 'RowsGivenUp';
    this.rows = rows;
  }
}
