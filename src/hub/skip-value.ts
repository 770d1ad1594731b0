import { Byte, peek, type Scan, unexpected } from '../wire/json-scanner.ts';

/** Per byte what it is to a reader that only wants to get past a value. */
const Class = { Other: 0, Quote: 1, Open: 2, Close: 3, Comma: 4 } as const;
const classes = new Uint8Array(256);
classes[Byte.Quote] = Class.Quote;
classes[Byte.OpenObject] = Class.Open;
classes[Byte.OpenArray] = Class.Open;
classes[Byte.CloseObject] = Class.Close;
classes[Byte.CloseArray] = Class.Close;
classes[Byte.Comma] = Class.Comma;

/**
 * Gets past the next value by its strings and brackets alone, however deep, and leaves the rest to who reads it. The
 * deepest level of nesting in it comes back: 0 for a string, a number or a word.
 */
export function skipValue(scan: Scan): number {
  if (peek(scan) === -1) throw unexpected(scan, 'a value');
  const { bytes, end } = scan;
  const start = scan.at;
  let at = start;
  let depth = 0;
  let deepest = 0;
  while (at < end) {
    switch (classes[bytes[at]!]) {
      case Class.Quote:
        at = stringEnd(scan, at + 1);
        break;
      case Class.Open:
        if (++depth > deepest) deepest = depth;
        break;
      case Class.Close:
        if (depth === 0) return stopBefore(scan, start, at);
        if (--depth === 0) {
          scan.at = at + 1;
          return deepest;
        }
        break;
      case Class.Comma:
        if (depth === 0) return stopBefore(scan, start, at);
    }
    at++;
  }
  scan.at = end;
  if (depth > 0) throw unexpected(scan, 'the end of a value');
  return 0;
}

/** A value without brackets ends before the comma or bracket behind it. */
function stopBefore(scan: Scan, start: number, at: number): number {
  scan.at = at;
  if (at === start) throw unexpected(scan, 'a value');
  return 0;
}

/** The quote that ends the string whose first character is at `from`. */
function stringEnd(scan: Scan, from: number): number {
  const { bytes, end } = scan;
  for (let at = from; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === Byte.Quote) return at;
    if (byte === Byte.Backslash) at++;
  }
  scan.at = end;
  throw unexpected(scan, "'\"'");
}
