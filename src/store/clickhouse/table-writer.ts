import type { StoreLog } from '../store-log.ts';
import type { ClickHouse } from './client.ts';
import { type InsertMeter, type InsertTimes, insertAttempts } from './insert-attempts.ts';
import { type InsertBatches, type InsertBatchLimits, insertBatches } from './insert-batch.ts';
import { insertSettings } from './insert-settings.ts';
import { sampleBlock } from './sample-block.ts';
import type { Topology } from './schema.ts';
import { type SeriesValues, seriesBytes } from './series-values.ts';
import { join, name, print, sql } from './sql.ts';
import { encodeRows, type SmallTable, type TableRow, tableColumns } from './table-rows.ts';

/**
 * The only way of rows into ClickHouse. What a call gives for a table goes in one insert, with what others give at
 * the same time. Rejects like insert-attempts.ts.
 */
export interface TableWriter {
  /** Counts bytes that wait for ClickHouse until the function that it returns is called. */
  hold(bytes: number): () => void;
  /** The caller holds the bytes of the series. Values of one request for one stream go in one call: they are stored in one insert. */
  insertSamples(series: readonly SeriesValues[], partitions: ReadonlySet<number>): Promise<void>;
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
  const { clickhouse, topology } = options;
  const attempts = insertAttempts(options.times, options.log, options.meter);
  let pendingBytes = 0;
  let waiting: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  const insert = (
    table: string,
    since: number,
    columns: readonly string[],
    format: 'Native' | 'JSONCompactEachRow',
    data: readonly Uint8Array[],
    isDistinct = false,
  ) => {
    const into = sql`INSERT INTO ${name(table)} (${join(columns.map((column) => name(column)))})`;
    const statement = print(
      format === 'Native' ? sql`${into} FORMAT Native` : sql`${into} FORMAT JSONCompactEachRow`,
    );
    return attempts.insert(table, since, (token, patienceMs) =>
      clickhouse.insert(statement, data, {
        settings: insertSettings(topology, token, isDistinct),
        patienceMs,
      }),
    );
  };

  const samples = insertBatches<SeriesValues>(options.limits, (series, since) => {
    const { columns, pieces, isDistinct } = sampleBlock(series);
    return insert('samples', since, columns, 'Native', pieces, isDistinct);
  });

  const small = new Map<SmallTable, InsertBatches<TableRow>>();
  for (const table of Object.keys(tableColumns) as SmallTable[]) {
    const columns = tableColumns[table];
    const batches = insertBatches<TableRow>(smallLimits, (rows, since) =>
      insert(table, since, columns, 'JSONCompactEachRow', [encodeRows(rows)]),
    );
    small.set(table, batches);
  }

  function hold(bytes: number): () => void {
    pendingBytes += bytes;
    return () => {
      pendingBytes -= bytes;
      if (pendingBytes >= options.maxPendingBytes) return;
      waiting?.resolve();
      waiting = undefined;
    };
  }

  return {
    hold,

    insertSamples(series, partitions) {
      const size = { rows: 0, bytes: 0, partitions };
      for (const one of series) {
        size.rows += one.count;
        size.bytes += seriesBytes(one);
      }
      return size.rows === 0 ? Promise.resolve() : samples.add(series, size);
    },

    async insertRows(rows) {
      const tables = [...new Set(rows.map(({ table }) => table))];
      await Promise.all(
        tables.map((table) => {
          const ofTable = rows.filter((row) => row.table === table);
          const bytes = encodeRows(ofTable).length;
          const release = hold(bytes);
          return small.get(table)!.add(ofTable, { rows: ofTable.length, bytes }).finally(release);
        }),
      );
    },

    async settled() {
      await Promise.all([samples, ...small.values()].map((batches) => batches.settled()));
    },

    room() {
      if (pendingBytes < options.maxPendingBytes) return undefined;
      waiting ??= waiter();
      return waiting.promise;
    },

    get pendingBytes() {
      return pendingBytes;
    },

    failure: attempts.failure,
  };
}

function waiter(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}
