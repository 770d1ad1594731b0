import type { ValueNames } from '../domain/definition.ts';
import type { TimeKind } from './same-time/watch-times.ts';

/** A channel of a logger. */
export interface LoggedChannel {
  readonly name: string;
  /** Empty where it has none. */
  readonly unit: string;
  /** Texts are strings, others numbers. */
  readonly isText?: boolean;
  /** What single numbers are called. */
  readonly valueNames?: ValueNames;
  /** For people, such as what ranges of its numbers stand for. */
  readonly description?: string;
}

export interface LoggedRow {
  /** Nanoseconds since the Unix epoch. */
  readonly time: bigint;
  /** One for each channel of the table; null where it has none at this time. */
  readonly values: readonly (number | string | null)[];
  /** Aligned with the tags of the file. */
  readonly tags: readonly string[];
}

/** Channels that share their times. */
export interface LoggedTable {
  readonly channels: readonly LoggedChannel[];
  readonly rows: number;
  /** What rows have in common, such as the name of a topic; empty where nothing. */
  readonly name?: string;
  /** In memory that does not depend on how many there are. Throws a FileFault. */
  read(): AsyncGenerator<LoggedRow>;
}

/** A row with the place of its table in the file. */
export interface TableRow {
  readonly table: number;
  readonly row: LoggedRow;
}

/** The latest start of a recording, ns since the Unix epoch, in 2223: a service keeps 64 bits, and rows come later. The earliest is so far before 1970. */
export const latestStart = 8_000_000_000_000_000_000n;

/** What a logger wrote, as far as it has been looked through. */
export interface LoggedFile {
  readonly tables: readonly LoggedTable[];
  /** Names of tags, which all rows have. */
  readonly tags: readonly string[];
  /** What the file says of the recording: names and texts. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Of the start, ns since the Unix epoch. */
  readonly start: bigint;
  /** False where the file does not tell it: its times begin at 1970 then. */
  readonly isStartKnown?: boolean;
  /** Channels that are not read, and why. */
  readonly leftOut: readonly string[];
  /** Parts that have a fault and are left out: a command writes nothing of a file that has any, a page asks. */
  readonly faults?: readonly string[];
  /** What was taken for granted, for people: which times rows have, which channels are text and why. */
  readonly notes?: readonly string[];
  /** What times are; without it, their size tells it. */
  readonly timeKind?: TimeKind;
  /** Whether it is known that the times of each table go forward. */
  readonly isForward?: boolean;
  /** Whether rows are messages of their own: who imports them says what becomes of those with the time of an earlier one. */
  readonly hasMessages?: boolean;
  /** Reads the rows of all tables in one pass, for files whose tables are mixed. */
  readonly readMixed?: () => AsyncGenerator<TableRow>;
}

/** The rows of all tables of a file: table after table, or mixed as the file has them. Throws a FileFault. */
export function rowsOf(log: LoggedFile): AsyncGenerator<TableRow> {
  // As it is: a generator around it would take its time with each row.
  return log.readMixed?.() ?? tableAfterTable(log);
}

async function* tableAfterTable({ tables }: LoggedFile): AsyncGenerator<TableRow> {
  for (const [table, { read }] of tables.entries()) {
    for await (const row of read()) yield { table, row };
  }
}
