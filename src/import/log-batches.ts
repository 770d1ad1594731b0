import { type LoggedFile, type LoggedRow, rowsOf } from './logged-file.ts';
import { type Pace, withoutPause } from './pace.ts';

/** Rows of one table, as columns: what one request writes. */
export interface LogBatch {
  /** ns since the Unix epoch. */
  readonly timestamps: readonly bigint[];
  readonly numericValues: Readonly<Record<string, readonly (number | null)[]>>;
  readonly stringValues: Readonly<Record<string, readonly (string | null)[]>>;
  readonly tagValues: Readonly<Record<string, readonly string[]>>;
  /** Rows of the file that are read by now. */
  readonly rowsRead: number;
}

/** So many cells make a batch: some hundred kilobytes. Texts count by their length. */
const batchCells = 40_000;
const charactersOfCell = 10;

/**
 * The rows of a logger's file in batches of one table each.
 * @param isTaken whether a channel is wanted, by the places of its table and of itself there
 * @param shift is added to times, ns
 */
export async function* logBatches(
  log: LoggedFile,
  isTaken: (table: number, channel: number) => boolean = () => true,
  shift = 0n,
  pace: Pace = withoutPause,
): AsyncGenerator<LogBatch> {
  const taken = log.tables.map(({ channels }, table) =>
    channels.flatMap((_, i) => (isTaken(table, i) ? [i] : [])),
  );
  const waiting = log.tables.map((): LoggedRow[] => []);
  const cells = log.tables.map(() => 0);
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
    };
  };
  for await (const { table, row } of rowsOf(log)) {
    const pause = pace();
    if (pause !== undefined) await pause;
    rowsRead++;
    const places = taken[table]!;
    if (places.length === 0 || places.every((i) => row.values[i] === null)) continue;
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
