/** Kinds of channels that are texts: ISO 8859-1, UTF-8, and UTF-16 with either byte first. */
const encodings: ReadonlyMap<number, string> = new Map([
  [6, 'iso-8859-1'],
  [7, 'utf-8'],
  [8, 'utf-16le'],
  [9, 'utf-16be'],
]);

/** Reads the text of bytes, up to the first zero; undefined where a channel of that kind is no text. */
export function stringReader(type: number): ((bytes: Uint8Array) => string) | undefined {
  const encoding = encodings.get(type);
  if (encoding === undefined) return undefined;
  if (encoding === 'iso-8859-1') return latin1;
  const decoder = new TextDecoder(encoding);
  const unit = encoding === 'utf-8' ? 1 : 2;
  return (bytes) => decoder.decode(bytes.subarray(0, endOf(bytes, unit)));
}

/** A decoder of the platform takes Windows-1252 for it, which has other characters from 128 to 159. */
function latin1(bytes: Uint8Array): string {
  let text = '';
  const end = endOf(bytes, 1);
  for (let at = 0; at < end; at += 4096)
    text += String.fromCharCode(...bytes.subarray(at, Math.min(end, at + 4096)));
  return text;
}

/** Where the first character that is zero stands, or the end. */
function endOf(bytes: Uint8Array, unit: number): number {
  if (unit === 1) {
    const end = bytes.indexOf(0);
    return end < 0 ? bytes.length : end;
  }
  const whole = bytes.length - (bytes.length % 2);
  for (let at = 0; at < whole; at += 2) if (bytes[at] === 0 && bytes[at + 1] === 0) return at;
  return whole;
}
