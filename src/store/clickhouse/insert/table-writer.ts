import { paceReads } from '../../../query/bounds/pace.ts';
import { neverAborted } from '../../../turns/pace.ts';
import type { StoreLog } from '../../store-log.ts';
import { encodeRows, type SmallTable, type TableRow, tableColumns } from '../catalog/table-rows.ts';
import type { ClickHouse } from '../server/client.ts';
import { insertSettings } from '../server/insert-settings.ts';
import type { TableName, Topology } from '../server/schema.ts';
import { join, name, print, sql } from '../server/sql.ts';
import { type InsertMeter, type InsertTimes, insertAttempts } from './insert-attempts.ts';
import { type InsertBatches, type InsertBatchLimits, insertBatches } from './insert-batch.ts';
import { inOrder } from './series-order.ts';
import { type SeriesValues, seriesBytes } from './series-values.ts';
import { windowBlock } from './window-block.ts';
import { windowLevels } from './window-levels.ts';

/**
 * The only way of rows into ClickHouse. What a call gives for a table goes in one insert, with what others give at
 * the same time. Rejects like insert-attempts.ts.
 */
export interface TableWriter {
  /** Counts bytes that wait for ClickHouse until the function that it returns is called. */
  hold(bytes: number): () => void;
  /** The caller holds the bytes of the series. Values of one request go in one call: they are stored in one insert. */
  insertValues(series: readonly SeriesValues[], partitions: ReadonlySet<number>): Promise<void>;
  /** Rows of small tables; an insert for each of the tables. */
  insertRows(rows: readonly TableRow[]): Promise<void>;
  /** Resolves when all that was inserted before the call is acknowledged or refused. */
  settled(): Promise<void>;
  /** Undefined while less waits than may, otherwise a promise that resolves when it is so again. */
  room(): Promise<void> | undefined;
  /** Bytes of memory that wait for ClickHouse. */
  readonly pendingBytes: number;
  /** Why the last attempt failed, if that was within the last `withinMs`; undefined when it went well. */
  failure(withinMs: number): Error | undefined;
}

export interface TableWriterOptions {
  readonly clickhouse: ClickHouse;
  readonly topology: Topology;
  readonly limits: InsertBatchLimits;
  readonly times: InsertTimes;
  readonly maxPendingBytes: number;
  readonly meter?: InsertMeter;
  readonly log: StoreLog;
}

/** Rows of small tables are few; one block of JSON takes them all. */
const smallLimits = { maxRows: 50_000, maxBytes: 16 << 20, maxAgeMs: 0, maxInserts: 4, maxPartitions: 1 };

export function tableWriter(options: TableWriterOptions): TableWriter {
  return new BatchWriter(options);
}

class BatchWriter implements TableWriter {
  readonly #options: TableWriterOptions;
  readonly #attempts;
  #pendingBytes = 0;
  /** Who waits for room. */
  readonly #waiting: (() => void)[] = [];
  readonly #levels = windowLevels();
  readonly #windows;
  /** Batches of the tables that few write to. */
  readonly #small = new Map<SmallTable, InsertBatches<Uint8Array>>();
  /** Inserts that have not ended. */
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: TableWriterOptions) {
    this.#options = options;
    this.#attempts = insertAttempts(options.times, options.log, options.meter);
    this.#windows = insertBatches<SeriesValues>(options.limits, (series, since) => {
      const { columns, pieces } = windowBlock(series, this.#levels);
      return this.#insert('windows', since, columns, 'Native', pieces);
    });
    for (const table of Object.keys(tableColumns) as SmallTable[]) {
      const columns = tableColumns[table];
      const batches = insertBatches<Uint8Array>(smallLimits, (rows, since) =>
        this.#insert(table, since, columns, 'JSONCompactEachRow', [Buffer.concat(rows)]),
      );
      this.#small.set(table, batches);
    }
    this.failure = this.#attempts.failure;
  }

  readonly failure: TableWriter['failure'];

  readonly insertRows = (rows: readonly TableRow[]): Promise<void> => {
    return this.#noted(this.#insertRows(rows));
  };

  readonly room = (): Promise<void> | undefined => {
    if (this.#pendingBytes < this.#options.maxPendingBytes) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  };

  hold(bytes: number): () => void {
    this.#pendingBytes += bytes;
    return () => {
      this.#pendingBytes -= bytes;
      if (this.#pendingBytes >= this.#options.maxPendingBytes) return;
      for (const goOn of this.#waiting.splice(0)) goOn();
    };
  }

  insertValues(series: readonly SeriesValues[], partitions: ReadonlySet<number>): Promise<void> {
    return this.#noted(this.#insertValues(series, partitions));
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  #insert(
    table: TableName,
    since: number,
    columns: readonly string[],
    format: 'Native' | 'JSONCompactEachRow',
    data: readonly Uint8Array[],
  ) {
    const into = sql`INSERT INTO ${name(table)} (${join(columns.map((column) => name(column)))})`;
    const statement = print(
      format === 'Native' ? sql`${into} FORMAT Native` : sql`${into} FORMAT JSONCompactEachRow`,
    );
    return this.#attempts.insert(table, since, (token, patienceMs) =>
      this.#options.clickhouse.insert(statement, data, {
        settings: insertSettings(this.#options.topology, table, token),
        patienceMs,
      }),
    );
  }

  /** Notes work until it has ended. */
  #noted(work: Promise<void>): Promise<void> {
    this.#underWay.add(work);
    return work.finally(() => this.#underWay.delete(work));
  }

  async #insertValues(series: readonly SeriesValues[], partitions: ReadonlySet<number>): Promise<void> {
    const ordered = await inOrder(series, paceReads(neverAborted));
    const size = { rows: 0, bytes: 0, partitions };
    for (const one of ordered) {
      size.rows += one.count;
      size.bytes += seriesBytes(one);
    }
    if (size.rows > 0) await this.#windows.add(ordered, size);
  }

  #insertRows(rows: readonly TableRow[]): Promise<void> {
    const tables = [...new Set(rows.map(({ table }) => table))];
    const inserts = tables.map((table) => {
      const ofTable = rows.filter((row) => row.table === table);
      const encoded = encodeRows(ofTable);
      const size = { rows: ofTable.length, bytes: encoded.length };
      return this.#small.get(table)!.add([encoded], size).finally(this.hold(size.bytes));
    });
    return ended(inserts);
  }
}

/** Resolves when all have ended; rejects where one has failed. */
async function ended(inserts: readonly Promise<void>[]): Promise<void> {
  for (const end of await Promise.allSettled(inserts)) if (end.status === 'rejected') throw end.reason;
}
