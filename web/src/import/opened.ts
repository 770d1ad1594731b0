import type { FileBytes } from '../../../src/import/file-bytes.ts';
import type { LoggedFile } from '../../../src/import/logged-file.ts';
import type { TextSettings } from '../../../src/import/text/text-layout.ts';
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
  /** Of the recording: that of the file, or another, ns since the Unix epoch. */
  readonly start: bigint;
  /** Times of its first and last row by the start of the file; undefined where it has none. */
  readonly span: Span | undefined;
}

/** A file that was looked through. */
export type Opened = OpenedText | OpenedLog;

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
  const { span, start, log } = opened;
  return span && { from: span.from + start - log.start, to: span.to + start - log.start };
}

/** How many rows would be written, without faults. */
export function rowsOf(opened: Opened): number {
  if (opened.kind === 'text') return opened.review.survey.rows;
  return opened.log.tables.reduce((sum, { rows }) => sum + rows, 0);
}

/** What becomes parameters. */
export function channelsOf(opened: Opened): readonly { readonly name: string; readonly unit: string }[] {
  if (opened.kind === 'text')
    return opened.review.layout.columns.filter(({ role }) => role === 'number' || role === 'text');
  return opened.log.tables
    .flatMap(({ channels }) => channels)
    .filter(({ name }) => !opened.without.has(name));
}

/** What the file says of the recording. */
export function metadataOf(opened: Opened): Readonly<Record<string, string>> {
  return opened.kind === 'text' ? opened.review.layout.metadata : opened.log.metadata;
}
