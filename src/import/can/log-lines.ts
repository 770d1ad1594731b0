import { type FileBytes, FileFault } from '../file-bytes.ts';

/** Lines of a log that stand one after the other. */
export interface Lines {
  readonly lines: readonly string[];
  /** The number of the first one, from 1. */
  readonly first: number;
}

const pieceBytes = 256 << 10;
const longestLine = 64 << 10;

/** The lines of a text, piece by piece; they end in LF, CR LF or CR. Throws a FileFault for one that is too long. */
export async function* readLines(file: FileBytes): AsyncGenerator<Lines> {
  // Every byte is a character of it, and those of frames are ASCII.
  const decoder = new TextDecoder('windows-1252');
  let first = 1;
  let rest = '';
  for (let offset = 0; offset < file.size; offset += pieceBytes) {
    const bytes = await file.read(offset, Math.min(pieceBytes, file.size - offset));
    const isLast = offset + pieceBytes >= file.size;
    const text = rest + decoder.decode(bytes, { stream: true });
    // A CR at the end may have its LF in the next piece.
    const split = text.split(isLast ? /\r\n|\n|\r/ : /\r\n|\n|\r(?!$)/);
    rest = isLast ? '' : split.pop()!;
    if (rest.length > longestLine)
      throw new FileFault(`line ${first + split.length} has more than ${longestLine} characters`, undefined);
    yield { lines: split, first };
    first += split.length;
  }
}
