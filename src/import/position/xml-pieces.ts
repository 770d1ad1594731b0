import { type FileBytes, FileFault } from '../file-bytes.ts';
import { textPieces } from '../text/encoding.ts';
import { TextFault } from '../text/text-layout.ts';

/** The bytes in which a declaration ends. */
const declarationBytes = 1024;

/** The text of an XML file in pieces, in the encoding that its byte order mark or its declaration says, else UTF-8. Throws a FileFault. */
export async function* xmlPieces(file: FileBytes): AsyncGenerator<string, void, void> {
  if (file.size === 0) throw new FileFault('it is empty', undefined);
  const encoding = encodingOf(await file.read(0, Math.min(file.size, declarationBytes)));
  try {
    for await (const { text } of textPieces(file, encoding)) yield text;
  } catch (error) {
    throw error instanceof TextFault ? new FileFault(error.message, undefined) : error;
  }
}

/** XML 1.0, appendix F. */
function encodingOf(head: Uint8Array): string {
  const [first, second] = head;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  if (first === 0xef && second === 0xbb) return 'utf-8';
  const text = new TextDecoder('windows-1252').decode(head);
  const named = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']*)["']/.exec(text)?.[1];
  // What was read here as ASCII is not in two bytes, whatever is said.
  if (named === undefined || /^utf-?16/i.test(named)) return 'utf-8';
  try {
    return new TextDecoder(named).encoding;
  } catch {
    throw new FileFault(`line 1: the encoding '${named}' is not known`, undefined);
  }
}
