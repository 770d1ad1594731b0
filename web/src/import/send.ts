import type { NewParameterData } from '../../../src/client/models.ts';
import type { FileBytes } from '../../../src/import/file-bytes.ts';
import { logBatches, rowCount } from '../../../src/import/log-batches.ts';
import type { LoggedFile } from '../../../src/import/logged-file.ts';
import { logStore, wordsOfLog } from '../../../src/import/same-time/log-rows.ts';
import { storedNotes } from '../../../src/import/same-time/notes.ts';
import {
  RowStore,
  type SameTimeChoices,
  type StoredRows,
} from '../../../src/import/same-time/stored-rows.ts';
import type { SeenTimes } from '../../../src/import/same-time/watch-times.ts';
import { isFault, type MappedRow, rowMapper } from '../../../src/import/text/map-rows.ts';
import { readRows } from '../../../src/import/text/survey-text.ts';
import type { TextLayout } from '../../../src/import/text/text-layout.ts';
import type { Pace } from '../../../src/turns/pace.ts';
import { problemText } from '../ui/problem-text.ts';
import type { Reading } from './pace.ts';

/** Writes one payload, of a run: runs count from 0 and are streams of their own (see `streamOfRun`). */
export type Write = (data: NewParameterData, run: number) => Promise<void>;

/** The times of a file, and what was chosen for rows that meet earlier ones. */
export interface Meeting {
  readonly times: SeenTimes;
  readonly choices: SameTimeChoices;
}

/** What was written, with what is to be known of it. */
export interface SentRows extends StoredRows {
  readonly notes: readonly string[];
}

/** An import that did not come to its end: how far it came, and why. */
export class ImportStopped extends Error {
  readonly rows: number;

  constructor(rows: number, line: number | undefined, cause: Error) {
    const place = line === undefined ? '' : `, up to line ${line},`;
    const what = rows === 0 ? 'Nothing was written.' : `${rows} rows${place} were written.`;
    super(`${problemText(cause)} ${what} Importing the file again is harmless: a row replaces itself.`);
    this.name = 'ImportStopped';
    this.rows = rows;
  }
}

/** So many cells make a payload: some hundred kilobytes. */
const batchCells = 40_000;

/** Writes the rows of a text file that have no fault. Throws ImportStopped. */
export async function sendText(
  file: FileBytes,
  layout: TextLayout,
  { times, choices }: Meeting,
  write: Write,
  signal: AbortSignal,
  { onBytes, pace }: Reading,
): Promise<SentRows> {
  const batchRows = Math.max(1, Math.floor(batchCells / layout.columns.length));
  const mapRow = rowMapper(layout);
  const store = textStore(layout, times, choices);
  const canMeet = store.canMeet();
  let batch: MappedRow[] = [];
  let run = 0;
  let written = 0;
  let lastLine = 1;
  const flush = async () => {
    if (batch.length === 0) return;
    signal.throwIfAborted();
    await write(payloadOf(batch, layout), run);
    written += batch.length;
    lastLine = batch.at(-1)!.line;
    batch = [];
  };
  try {
    for await (const piece of readRows(file, layout)) {
      for (const read of piece.rows) {
        const pause = pace();
        if (pause !== undefined) await pause;
        const mapped = mapRow(read);
        if (mapped === undefined || isFault(mapped)) continue;
        let row = mapped;
        if (canMeet) {
          const stored = store.place(row.time, row.line, row.cells, row.cells);
          if (stored === undefined) continue;
          if (stored.run !== run) {
            const next = stored.run;
            await flush();
            run = next;
          }
          if (stored.time !== row.time) row = { ...row, time: stored.time };
        } else if (!store.count(row.cells)) continue;
        batch.push(row);
        if (batch.length >= batchRows) await flush();
      }
      onBytes(piece.bytes);
    }
    await flush();
    const stored = store.result();
    const words = { seen: times, noun: 'line', start: layout.start, isJson: false, namesOptions: false };
    return { ...stored, notes: storedNotes(stored, words, choices) };
  } catch (error) {
    throw new ImportStopped(written, lastLine, error as Error);
  }
}

function textStore({ columns }: TextLayout, times: SeenTimes, choices: SameTimeChoices): RowStore {
  const channels = columns.flatMap(({ role }, i) =>
    role === 'number' || role === 'text' || role === 'binary' ? [i] : [],
  );
  const names = channels.map((i) => columns[i]!.name.trim());
  return new RowStore(times, [{ form: { channels, isJson: false }, names }], choices);
}

/** Rows as one payload. */
export function payloadOf(rows: readonly MappedRow[], { columns }: TextLayout): NewParameterData {
  const columnsOf = <Value>(wanted: string) =>
    Object.fromEntries(
      columns.flatMap(({ name, role }, i) =>
        role === wanted ? [[name.trim(), rows.map(({ cells }) => cells[i] as Value)]] : [],
      ),
    );
  const binaries = Object.fromEntries(
    Object.entries(columnsOf<string | null>('binary')).map(([name, column]) => [
      name,
      column.map((text) => (text === null ? null : bytesOfBase64(text))),
    ]),
  );
  return {
    timestamps: rows.map(({ time }) => time),
    numericValues: columnsOf<number | null>('number'),
    stringValues: columnsOf<string | null>('text'),
    binaryValues: binaries,
    tagValues: columnsOf<string | null>('tag'),
  };
}

function bytesOfBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** What of a logger's file is written. */
export interface LogChoice extends Meeting {
  /** Names of channels that are left out. */
  readonly without: ReadonlySet<string>;
  /** Of the recording, ns since the Unix epoch. */
  readonly start: bigint;
  readonly pace: Pace;
}

/** What was written of a logger's file. */
export interface SentLog extends SentRows {
  readonly from: bigint | undefined;
  readonly to: bigint | undefined;
}

/** Writes the rows of a logger's file. Throws ImportStopped. */
export async function sendLog(
  log: LoggedFile,
  { without, start, pace, times, choices }: LogChoice,
  write: Write,
  signal: AbortSignal,
  onRows: (rows: number) => void,
): Promise<SentLog> {
  const isTaken = (table: number, channel: number) =>
    !without.has(log.tables[table]!.channels[channel]!.name);
  const most = rowCount(log);
  const store = logStore(log, times, isTaken, choices);
  let rows = 0;
  let from: bigint | undefined;
  let to: bigint | undefined;
  try {
    const writing = { store, isTaken, shift: start - log.start, pace };
    for await (const { rowsRead, run, ...data } of logBatches(log, writing)) {
      signal.throwIfAborted();
      await write(data, run);
      rows += data.timestamps.length;
      for (const time of data.timestamps) {
        if (from === undefined || time < from) from = time;
        if (to === undefined || time > to) to = time;
      }
      onRows(Math.min(rowsRead, most));
    }
    const stored = store.store.result();
    return { ...stored, from, to, notes: storedNotes(stored, wordsOfLog(log, times, false), choices) };
  } catch (error) {
    throw new ImportStopped(rows, undefined, error as Error);
  }
}
