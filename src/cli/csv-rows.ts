import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { CommandError } from './command.ts';

/** A line of a CSV file: its cells as they stand, and the number of the line that it ends on, from 1. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
  /** Whether each cell stands in quotes. */
  readonly quoted: readonly boolean[];
}

/**
 * One pass over a CSV file (RFC 4180, UTF-8, commas), header first.
 * Throws a CommandError for a file that cannot be read, or not as CSV or UTF-8.
 */
export async function* readCsv(path: string): AsyncGenerator<CsvRow, void, void> {
  // Loaded here, so that other commands start without it.
  const { parse } = await import('csv-parse');
  let quoted: boolean[] = [];
  const parser = parse({
    cast(cell, { quoting }) {
      quoted.push(quoting);
      return cell;
    },
    // The types of the library know no other records than it makes itself.
    on_record(cells: readonly string[], { lines }) {
      const row: CsvRow = { line: lines, cells, quoted };
      quoted = [];
      return row as never;
    },
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
  });
  // A failure anywhere destroys the parser, which then ends the loop below with it.
  pipeline(createReadStream(path), decodeUtf8, parser, () => {});
  try {
    for await (const row of parser as AsyncIterable<CsvRow>) yield row;
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
