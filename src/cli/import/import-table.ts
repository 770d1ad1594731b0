import { timestampName } from '../../domain/table-names.ts';
import type { RowWords } from '../../import/same-time/notes.ts';
import type { StoredRows } from '../../import/same-time/stored-rows.ts';
import type { SeenTimes } from '../../import/same-time/watch-times.ts';
import type { TableOptions } from '../../import/tables/name-columns.ts';
import type { ColumnUse } from './import-cell.ts';

export interface ImportColumn {
  /** Of the parameter or the tag. */
  readonly name: string;
  readonly use: ColumnUse;
}

/** A file that was read once, from its first row to its last, and found good. */
export interface ImportTable {
  readonly columns: readonly ImportColumn[];
  readonly rows: number;
  /** What was perhaps not meant. */
  readonly notes?: readonly string[];
  readonly times: SeenTimes;
  /** What elapsed times count from, ns since the Unix epoch; 0 without it. */
  readonly start?: bigint;
  /** The line of the row that was read last; without it rows are numbered. */
  line?(): number;
  /**
   * Reads the file again: the cells of each row as JSON, aligned with the columns, `null` where there is none;
   * a timestamp as its digits.
   */
  read(): AsyncIterable<readonly string[]>;
}

/** How notes call the rows of a table. */
export function wordsOf({ times, line, start = 0n }: ImportTable): RowWords {
  return { seen: times, noun: line === undefined ? 'row' : 'line', start, isJson: true, namesOptions: true };
}

/** What the command line says of the columns. */
export type ImportOptions = TableOptions;

/** Where rows go; undefined where each says so itself. */
export type TablePlace = Pick<ImportOptions, 'topic' | 'stream'>;

export const defaultTimestamp = timestampName;

/** What came of the rows of a file, and how many of them were expired already. */
interface Imported extends Pick<StoredRows, 'stored' | 'read'> {
  readonly expired: number;
}

/** The line that says what is in: how many rows stand there, and how many were read where these differ. */
export function importedText(
  file: string,
  { stored, read, expired }: Imported,
  where: string,
  notes: readonly string[],
): string {
  const kept = Math.max(0, stored - expired);
  const rest = read === kept ? '' : ` (${read} were read)`;
  const old = expired > 0 ? [`${expired} are older than the retention of the topic, and were not kept`] : [];
  return `${kept} rows of ${file} are in ${where}${rest}: ${[...old, ...notes].join('; ')}`;
}

/** Returns in words where rows are. */
export function placeText({ topic, stream }: TablePlace): string {
  const where = topic === undefined ? 'the topics of column TAG__topic' : `topic ${topic}`;
  return `${where}, ${stream === undefined ? 'the streams of column TAG__streamId' : `stream ${stream}`}`;
}

/** Returns in words what the columns became. */
export function columnsText(columns: readonly ImportColumn[]): string {
  const named = (use: ImportColumn['use']): string[] =>
    columns.filter((column) => column.use === use).map(({ name }) => name);
  const binaries = named('binary').length;
  const kinds = [`${named('numeric').length} numeric`, `${named('string').length} string`];
  if (binaries > 0) kinds.push(`${binaries} binary`);
  const parts = [`${kinds.slice(0, -1).join(', ')} and ${kinds.at(-1)!} columns`];
  if (named('tag').length > 0) parts.push(`tags ${named('tag').join(', ')}`);
  if (named('ignored').length > 0) parts.push(`left out, as you say: ${named('ignored').join(', ')}`);
  if (named('empty').length > 0) parts.push(`left out, being empty: ${named('empty').join(', ')}`);
  return parts.join('; ');
}
