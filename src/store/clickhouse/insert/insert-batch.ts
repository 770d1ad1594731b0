import { inNextTurn } from '../../../turns/rest.ts';
import { insertBatching } from './insert-batching.ts';

/** Gathers rows for one table into insert batches: requests under way at the same time share an insert. */
export interface InsertBatches<Row> {
  /** Resolves when ClickHouse has acknowledged the insert with these rows, all of which stand in the same one. */
  add(rows: readonly Row[], size: Size): Promise<void>;
}

export interface Size {
  /** Rows of the table. */
  readonly rows: number;
  /** Bytes of memory. */
  readonly bytes: number;
  /** The partitions of the table that the rows are in, where it has any. */
  readonly partitions?: ReadonlySet<number>;
}

export interface InsertBatchLimits {
  /** A batch takes no more requests when it has so many rows or bytes; a larger request is a batch of its own. */
  readonly maxRows: number;
  readonly maxBytes: number;
  /** The same of partitions: an insert makes a part for each. */
  readonly maxPartitions: number;
  /**
   * A batch that is not full goes no sooner than so long (ms) after the one before it. So rows wait no longer than
   * that for others, and what comes after a pause does not wait. 0: as soon as the insert before it is acknowledged and
   * the requests that are expected have come (insert-batching.ts).
   */
  readonly maxAgeMs: number;
  /** Full batches may go while other inserts are under way, up to so many at a time. */
  readonly maxInserts: number;
}

interface InsertBatch<Row> {
  readonly rows: Row[];
  readonly since: number;
  readonly size: { rows: number; bytes: number };
  readonly partitions: Set<number>;
  /** By request, what ends it. */
  readonly requests: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[];
}

const none: ReadonlySet<number> = new Set();

/** The share of a full batch from which on it does not wait for expected requests. */
const worthwhileShare = 0.5;

/**
 * @param send inserts a batch as one block; `since` is when its first row came, by the clock
 * @param clock milliseconds
 */
export function insertBatches<Row>(
  limits: InsertBatchLimits,
  send: (rows: readonly Row[], since: number) => Promise<void>,
  clock: () => number = () => performance.now(),
): InsertBatches<Row> {
  return new Batches(limits, send, clock);
}

class Batches<Row> implements InsertBatches<Row> {
  readonly #limits: InsertBatchLimits;
  readonly #send: (rows: readonly Row[], since: number) => Promise<void>;
  readonly #clock: () => number;
  /** In the order in which they came; only the last takes more requests. */
  readonly #waiting: InsertBatch<Row>[] = [];
  readonly #underWay = new Set<InsertBatch<Row>>();
  #timer: NodeJS.Timeout | undefined;
  #isScheduled = false;
  readonly #batching = insertBatching();
  /** When the last insert began. */
  #startedAt = Number.NEGATIVE_INFINITY;

  constructor(
    limits: InsertBatchLimits,
    send: (rows: readonly Row[], since: number) => Promise<void>,
    clock: () => number,
  ) {
    this.#limits = limits;
    this.#send = send;
    this.#clock = clock;
  }

  readonly #goOn = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (let batch = this.#waiting[0]; batch !== undefined; batch = this.#waiting[0]) {
      // Where another waits after it, it is as full as it gets.
      const isWhole = this.#waiting.length > 1 || this.#holds(batch, 1);
      if (this.#underWay.size >= (isWhole ? this.#limits.maxInserts : 1)) return;
      const rest = isWhole ? 0 : this.#restMs(batch);
      if (rest > 0) {
        this.#timer = setTimeout(this.#goOn, rest);
        return;
      }
      this.#waiting.shift();
      this.#run(batch);
    }
  };

  add(rows: readonly Row[], size: Size): Promise<void> {
    const batch = this.#batchFor(size);
    for (const row of rows) batch.rows.push(row);
    batch.size.rows += size.rows;
    batch.size.bytes += size.bytes;
    for (const partition of size.partitions ?? none) batch.partitions.add(partition);
    this.#batching.joined(this.#clock());
    this.#schedule();
    return new Promise((resolve, reject) => batch.requests.push({ resolve, reject }));
  }

  #holds({ size }: InsertBatch<Row>, share: number) {
    return size.rows >= share * this.#limits.maxRows || size.bytes >= share * this.#limits.maxBytes;
  }

  #restMs(batch: InsertBatch<Row>): number {
    const now = this.#clock();
    const toAge = this.#startedAt + this.#limits.maxAgeMs - now;
    if (this.#holds(batch, worthwhileShare)) return toAge;
    return Math.max(toAge, this.#batching.restMs(batch.requests.length, batch.since, now));
  }

  #batchFor(size: Size): InsertBatch<Row> {
    const last = this.#waiting.at(-1);
    const fits =
      last !== undefined &&
      last.size.rows + size.rows <= this.#limits.maxRows &&
      last.size.bytes + size.bytes <= this.#limits.maxBytes &&
      union(last.partitions, size.partitions) <= this.#limits.maxPartitions;
    if (fits) return last;
    const batch: InsertBatch<Row> = {
      rows: [],
      since: this.#clock(),
      size: { rows: 0, bytes: 0 },
      partitions: new Set(),
      requests: [],
    };
    this.#waiting.push(batch);
    return batch;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // Requests that arrive in the same turn go together.
    inNextTurn(() => {
      this.#isScheduled = false;
      this.#goOn();
    });
  }

  /** What `send` throws at once fails the batch as well: nothing else may end its requests. */
  async #sent({ rows, since }: InsertBatch<Row>): Promise<void> {
    await this.#send(rows, since);
  }

  #run(batch: InsertBatch<Row>): void {
    const start = this.#clock();
    this.#startedAt = start;
    this.#underWay.add(batch);
    this.#sent(batch)
      .then(
        () => {
          for (const { resolve } of batch.requests) resolve();
        },
        (error) => {
          for (const { reject } of batch.requests) reject(error);
        },
      )
      .finally(() => {
        this.#underWay.delete(batch);
        const requests = [batch, ...this.#underWay, ...this.#waiting].reduce(
          (sum, each) => sum + each.requests.length,
          0,
        );
        const now = this.#clock();
        this.#batching.settled(now, now - start, requests);
        this.#goOn();
      });
  }
}

/** How many two sets have together. */
function union(some: ReadonlySet<number>, others: ReadonlySet<number> = none): number {
  let size = some.size;
  for (const one of others) if (!some.has(one)) size++;
  return size;
}
