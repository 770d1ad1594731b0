import type { FileBytes } from '../file-bytes.ts';
import { lineBreaks } from './line-breaks.ts';
import { type TextEncoding, TextFault } from './text-layout.ts';

const pieceBytes = 256 << 10;

/** The first bytes of a file, from which it is guessed what it is. */
export async function readFirst(file: FileBytes): Promise<Uint8Array> {
  return file.read(0, Math.min(file.size, pieceBytes));
}

/** What is often taken for a text file, by its first bytes. */
const packed: readonly (readonly [string, ...number[]])[] = [
  ['a zip archive or a spreadsheet', 0x50, 0x4b, 0x03, 0x04],
  ['a gzip archive', 0x1f, 0x8b],
];

/**
 * UTF-16 by its mark or its zeros, UTF-8 where the bytes are such, else Windows-1252, which Latin-1 is a part of.
 * Throws a TextFault for what is no text.
 */
export function guessEncoding(first: Uint8Array): TextEncoding {
  for (const [what, ...marks] of packed)
    if (marks.every((mark, i) => first[i] === mark))
      throw new TextFault(0, `this is ${what}, and no text: unpack it, or save its table as CSV`);
  if (first[0] === 0xff && first[1] === 0xfe) return 'utf-16le';
  if (first[0] === 0xfe && first[1] === 0xff) return 'utf-16be';
  const zeros = [0, 0];
  for (const [i, byte] of first.subarray(0, 4096).entries()) if (byte === 0) zeros[i % 2]!++;
  const half = Math.min(first.length, 4096) / 2;
  if (zeros[1]! > half * 0.6 && zeros[0]! < half * 0.1) return 'utf-16le';
  if (zeros[0]! > half * 0.6 && zeros[1]! < half * 0.1) return 'utf-16be';
  if (zeros[0]! + zeros[1]! > 0) throw new TextFault(1, 'there are zero bytes: this is no text');
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(first, { stream: true });
    return 'utf-8';
  } catch {
    // Controls that no text has, and the bytes that Windows-1252 leaves out.
    const isNoText = (byte: number): boolean =>
      byte < 9 || (byte > 13 && byte < 32) || [0x7f, 0x81, 0x8d, 0x8f, 0x90, 0x9d].includes(byte);
    if (first.some(isNoText)) throw new TextFault(1, 'there are bytes that are no text');
    return 'windows-1252';
  }
}

/** The lines that tell how a file is read; they are in memory, up to a length. */
const firstLines = 400;
const mostFirst = 8 << 20;

/** The first whole lines of a file. Throws a TextFault. */
export async function firstText(file: FileBytes, encoding: TextEncoding): Promise<string> {
  let text = '';
  const breaks = lineBreaks();
  for await (const piece of textPieces(file, encoding)) {
    text += piece.text;
    breaks.see(piece.text);
    if (piece.bytes === file.size) return text;
    if (breaks.count() >= firstLines || text.length > mostFirst) break;
  }
  return text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1) || text;
}

export interface TextPiece {
  readonly text: string;
  /** So many bytes of the file are read. */
  readonly bytes: number;
}

/**
 * The text of a file in pieces, without its byte order mark. Throws a TextFault for bytes that are none in this encoding.
 * @param encoding one that a TextDecoder knows
 */
export async function* textPieces(file: FileBytes, encoding: string): AsyncGenerator<TextPiece, void, void> {
  // Replacement characters would change the data.
  const decoder = new TextDecoder(encoding, { fatal: true });
  const breaks = lineBreaks();
  for (let at = 0; at <= file.size; at += pieceBytes) {
    const length = Math.min(pieceBytes, file.size - at);
    const isLast = at + length === file.size;
    const bytes = length === 0 ? new Uint8Array() : await file.read(at, length);
    let text: string;
    try {
      text = decoder.decode(bytes, { stream: !isLast });
    } catch {
      throw new TextFault(
        breaks.count() + 1,
        `at or behind this line are bytes that are not ${encoding.toUpperCase()} text`,
      );
    }
    breaks.see(text);
    yield { text, bytes: at + length };
    if (isLast) return;
  }
}
