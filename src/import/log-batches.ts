import { type Pace, withoutPause } from '../turns/pace.ts';
import { type LoggedFile, type LoggedRow, rowsOf } from './logged-file.ts';
import type { LogStore } from './same-time/log-rows.ts';

/** Rows of one table, as columns: what one request writes. */
export interface LogBatch {
  /** ns since the Unix epoch. */
  readonly timestamps: readonly bigint[];
  readonly numericValues: Readonly<Record<string, readonly (number | null)[]>>;
  readonly stringValues: Readonly<Record<string, readonly (string | null)[]>>;
  readonly tagValues: Readonly<Record<string, readonly string[]>>;
  /** Rows of the file that are read by now. */
  readonly rowsRead: number;
  /** Of which run the rows are, from 0, where runs are streams of their own. */
  readonly run: number;
}

/** The cells of a batch: some hundred kilobytes. Texts count by their length. */
const batchCells = 40_000;
const charactersOfCell = 10;

/** How the rows of a logger's file are written. */
export interface LogWriting {
  readonly store: LogStore;
  /** Whether a channel is wanted, by the places of its table and of itself there. */
  readonly isTaken?: (table: number, channel: number) => boolean;
  /** Added to times, ns. */
  readonly shift?: bigint;
  readonly pace?: Pace;
}

/** The rows of a logger's file in batches of one table each, and of one run. Throws a FileFault or TooManyRows. */
export async function* logBatches(
  log: LoggedFile,
  { store: { store, values }, isTaken = () => true, shift = 0n, pace = withoutPause }: LogWriting,
): AsyncGenerator<LogBatch> {
  const taken = log.tables.map(({ channels }, table) =>
    channels.flatMap((_, i) => (isTaken(table, i) ? [i] : [])),
  );
  const waiting = log.tables.map((): LoggedRow[] => []);
  const cells = log.tables.map(() => 0);
  const numbers = log.tables.map(() => 0);
  const runs = log.tables.map(() => 0);
  const canMeet = store.canMeet();
  let rowsRead = 0;
  const take = (table: number): LogBatch => {
    const rows = waiting[table]!;
    waiting[table] = [];
    cells[table] = 0;
    const columns = (isText: boolean) =>
      Object.fromEntries(
        taken[table]!.flatMap((i) => {
          const channel = log.tables[table]!.channels[i]!;
          return (channel.isText === true) === isText
            ? [[channel.name, rows.map(({ values }) => values[i] ?? null)]]
            : [];
        }),
      );
    return {
      timestamps: rows.map(({ time }) => time + shift),
      numericValues: columns(false) as LogBatch['numericValues'],
      stringValues: columns(true) as LogBatch['stringValues'],
      tagValues: Object.fromEntries(log.tags.map((name, i) => [name, rows.map(({ tags }) => tags[i]!)])),
      rowsRead,
      run: runs[table]!,
    };
  };
  for await (const { table, row: read } of rowsOf(log)) {
    const pause = pace();
    if (pause !== undefined) await pause;
    rowsRead++;
    numbers[table]!++;
    let row = read;
    if (canMeet) {
      const stored = store.place(row.time, numbers[table]!, row.tags, values(table, row.values), table);
      if (stored === undefined) continue;
      if (stored.run !== runs[table]) {
        if (waiting[table]!.length > 0) yield take(table);
        runs[table] = stored.run;
      }
      if (stored.time !== row.time) row = { ...row, time: stored.time };
    } else if (!store.count(values(table, row.values), table)) continue;
    const places = taken[table]!;
    waiting[table]!.push(row);
    cells[table]! += 1 + places.length;
    for (const i of places) {
      const value = row.values[i];
      if (typeof value === 'string') cells[table]! += Math.ceil(value.length / charactersOfCell);
    }
    if (cells[table]! >= batchCells) yield take(table);
  }
  for (const table of waiting.keys()) if (waiting[table]!.length > 0) yield take(table);
}

/** How many rows a file has in all its tables. */
export function rowCount({ tables }: LoggedFile): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}
