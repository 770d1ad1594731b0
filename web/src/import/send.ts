import type { NewParameterData } from '../../../src/client/models.ts';
import { problemText } from '../ui/problem-text.ts';
import { isFault, type MappedRow, mapRow, payloadOf } from './map-rows.ts';
import type { Mapping } from './mapping.ts';
import { readCsv } from './read-csv.ts';

/** Writes one payload. */
export type Write = (topic: string, streamId: string, data: NewParameterData) => Promise<void>;

/** An import that did not come to its end: how far it came, and why. */
export class ImportStopped extends Error {
  readonly rows: number;

  constructor(rows: number, line: number, cause: Error) {
    const what = rows === 0 ? 'Nothing was written.' : `${rows} rows, up to line ${line}, were written.`;
    super(`${problemText(cause)} ${what} Importing the file again is harmless: a row replaces itself.`);
    this.name = 'ImportStopped';
    this.rows = rows;
  }
}

/** So many cells make a payload: some hundred kilobytes. */
const batchCells = 40_000;

/** Writes the rows that have no fault; gives their number. Throws ImportStopped. */
export async function send(
  file: Blob,
  mapping: Mapping,
  write: Write,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<number> {
  const batchRows = Math.max(1, Math.floor(batchCells / mapping.columns.length));
  let batch: MappedRow[] = [];
  let written = 0;
  let lastLine = 1;
  let isHeader = true;
  const flush = async () => {
    if (batch.length === 0) return;
    signal.throwIfAborted();
    await write(mapping.topic.trim(), mapping.streamId.trim(), payloadOf(batch, mapping));
    written += batch.length;
    lastLine = batch.at(-1)!.line;
    batch = [];
  };
  try {
    for await (const piece of readCsv(file)) {
      for (const csvRow of piece.rows) {
        const row = isHeader ? undefined : mapRow(csvRow, mapping);
        isHeader = false;
        if (row === undefined || isFault(row)) continue;
        batch.push(row);
        if (batch.length >= batchRows) await flush();
      }
      onBytes(piece.bytes);
    }
    await flush();
    return written;
  } catch (error) {
    throw new ImportStopped(written, lastLine, error as Error);
  }
}
