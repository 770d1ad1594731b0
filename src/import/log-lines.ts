import { type FileBytes, FileFault } from './file-bytes.ts';

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
      throw lineFault(first + split.length, `it has more than ${longestLine} characters`);
    yield { lines: split, first };
    first += split.length;
  }
}

/** Bytes in which a log shows what it is. */
export const headBytes = 16 << 10;
const mostHeadLines = 60;

/** The first lines that are not empty, of the first bytes of a log. */
export function headLines(head: Uint8Array): string[] {
  const text = new TextDecoder('windows-1252').decode(head);
  const lines = text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '');
  // The last one may be cut off.
  if (head.length >= headBytes && lines.length > 1) lines.pop();
  return lines.slice(0, mostHeadLines);
}

/** A fault in a line of a log. */
export function lineFault(line: number, what: string): FileFault {
  return new FileFault(`line ${line}: ${what}`, undefined);
}
