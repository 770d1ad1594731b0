import { CsvFault, type CsvParser, type CsvRow, csvParser, separatorOf } from './csv.ts';

/** Some rows of a file, and how many of its bytes are read. */
export interface CsvPiece {
  readonly rows: readonly CsvRow[];
  readonly bytes: number;
}

/** Reads a file once, in pieces, the header among the rows. Throws CsvFault for what is no UTF-8 or no CSV. */
export async function* readCsv(file: Blob): AsyncGenerator<CsvPiece, void, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let parser: CsvParser | undefined;
  let bytes = 0;
  let line = 1;
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const text = decode(decoder, value, line);
      parser ??= csvParser(separatorOf(text));
      const rows = [...parser.push(text), ...(done ? parser.end() : [])];
      line = rows.at(-1)?.line ?? line;
      bytes += value?.length ?? 0;
      yield { rows, bytes };
      if (done) return;
    }
  } finally {
    await reader.cancel();
  }
}

/** Replacement characters would change the data. */
function decode(
  decoder: InstanceType<typeof TextDecoder>,
  bytes: Uint8Array | undefined,
  line: number,
): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch {
    throw new CsvFault(line, 'at or behind this line are bytes that are not UTF-8 text');
  }
}
