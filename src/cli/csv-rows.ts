import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { type Info, parse } from 'csv-parse';
import { CommandError } from './command.ts';

/** A line of a CSV file: its cells as they stand, and the number of the line that it ends on, from 1. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * One pass over a CSV file (RFC 4180, UTF-8, commas), header first.
 * Throws a CommandError for a file that cannot be read, or not as CSV or UTF-8.
 */
export async function* readCsv(path: string): AsyncGenerator<CsvRow, void, void> {
  const parser = parse({
    info: true,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
  });
  // A failure anywhere destroys the parser, which then ends the loop below with it.
  pipeline(createReadStream(path), decodeUtf8, parser, () => {});
  try {
    for await (const { info, record } of parser as AsyncIterable<{ info: Info; record: string[] }>) {
      yield { line: info.lines, cells: record };
    }
  } catch (error) {
    throw new CommandError(`${path} cannot be read as CSV: ${(error as Error).message}`);
  } finally {
    parser.destroy();
  }
}

/** Replacement characters would change the data, so bytes that are not UTF-8 end the pass. Drops a byte order mark. */
async function* decodeUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}
