import type { FileBytes } from '../../../src/import/file-bytes.ts';
import type { LoggedFile } from '../../../src/import/logged-file.ts';
import type { MessageTime } from '../../../src/import/mcap/message-time.ts';
import type { StoredRows } from '../../../src/import/same-time/stored-rows.ts';
import type { SeenTimes } from '../../../src/import/same-time/watch-times.ts';
import type { Table } from '../../../src/import/tables/open-table.ts';
import type { TextSettings, TimeForm } from '../../../src/import/text/text-layout.ts';
import type { Chosen } from './chosen.ts';
import type { Reading } from './pace.ts';
import type { TextReview } from './review-text.ts';

/** A text file that was looked through. */
export interface OpenedText {
  readonly kind: 'text';
  readonly bytes: FileBytes;
  readonly review: TextReview;
}

/** What a logger wrote as bytes. */
export interface OpenedLog {
  readonly kind: 'log';
  readonly log: LoggedFile;
  /** Names of the channels that are left out. */
  readonly without: ReadonlySet<string>;
  /** Whether the rest is written of a file that has parts with faults. */
  readonly isPartial: boolean;
  /** Of an MCAP file: which of their times messages have. */
  readonly messageTime?: MessageTime;
  /** Of the recording: that of the file, or another, ns since the Unix epoch. */
  readonly start: bigint;
  /** Times of its first and last row by the start of the file; undefined where it has none. */
  readonly span: Span | undefined;
  readonly times: SeenTimes;
  /** What messages meet, if nobody chooses what becomes of them; undefined where they cannot meet. */
  readonly met: StoredRows | undefined;
}

/** What somebody says of a table. */
export interface TableSettings {
  /** The column with the time. */
  readonly timestamp: string;
  readonly timeForm: TimeForm | undefined;
  /** Columns that are left out. */
  readonly skip: readonly string[];
}

/** A table whose cells have types. */
export interface OpenedTable {
  readonly kind: 'table';
  readonly bytes: FileBytes;
  readonly name: string;
  readonly settings: TableSettings;
  /** Undefined while something must be said first. */
  readonly table?: Table;
  /** What must be said, or is wrong. */
  readonly fault?: string;
  /** Whether its times say when they are. */
  readonly hasStart: boolean;
  /** Is added to its times, ns. */
  readonly start: bigint;
  readonly span?: Span | undefined;
}

/** A file that was looked through. */
export type Opened = OpenedText | OpenedLog | OpenedTable;

/** Opens a file of one kind. Throws an error that names the place in the file. */
export type Open = (chosen: ChosenBytes, settings: TextSettings, reading: Reading) => Promise<Opened>;

export interface ChosenBytes extends Chosen {
  readonly bytes: FileBytes;
}

/** ns since the Unix epoch, both inclusive. */
export interface Span {
  readonly from: bigint;
  readonly to: bigint;
}

/** From the first row to the last, as they would be written. */
export function spanOf(opened: Opened): Span | undefined {
  if (opened.kind === 'text') {
    const { from, to } = opened.review.survey;
    return from === undefined || to === undefined ? undefined : { from, to };
  }
  const { span, start } = opened;
  if (opened.kind === 'table') return span && { from: span.from + start, to: span.to + start };
  const { log } = opened;
  return span && { from: span.from + start - log.start, to: span.to + start - log.start };
}

/** How many rows would be written, without faults. */
export function rowsOf(opened: Opened): number {
  if (opened.kind === 'text') return opened.review.survey.rows;
  if (opened.kind === 'table') return opened.table?.rows ?? 0;
  return opened.log.tables.reduce((sum, { rows }) => sum + rows, 0);
}

/** What becomes parameters. */
export function channelsOf(opened: Opened): readonly { readonly name: string; readonly unit: string }[] {
  if (opened.kind === 'text')
    return opened.review.layout.columns.filter(({ role }) => role === 'number' || role === 'text');
  if (opened.kind === 'table') {
    const columns = opened.table?.columns ?? [];
    return columns
      .filter(({ use }) => use === 'numeric' || use === 'string')
      .map(({ name }) => ({ name, unit: '' }));
  }
  return opened.log.tables
    .flatMap(({ channels }) => channels)
    .filter(({ name }) => !opened.without.has(name));
}

/** What the file says of the recording. */
export function metadataOf(opened: Opened): Readonly<Record<string, string>> {
  if (opened.kind === 'table') return {};
  return opened.kind === 'text' ? opened.review.layout.metadata : opened.log.metadata;
}
