import { fault } from '../../wire/base/fault.ts';
import { type Framing, tooLarge } from './message-buffer.ts';

/** How messages follow one another in a stream of bytes: texts each end with a separator, binary ones begin with their length. */

/** The byte that ends each JSON message; JSON never holds it unescaped. */
export const recordSeparator = 0x1e;

export const textMessageFormat: Framing = (bytes, searched, limit) => {
  const end = bytes.indexOf(recordSeparator, searched);
  if ((end < 0 ? bytes.length : end) > limit) throw tooLarge('a message', limit);
  return end < 0 ? undefined : { start: 0, end, next: end + 1 };
};

export function textMessage(json: string): Buffer {
  return Buffer.from(`${json}\u001e`);
}

/** The most bytes of the length before a binary message: 7 bits in each, the lowest first. */
const longestPrefix = 5;

export const binaryMessageFormat: Framing = (bytes, _searched, limit) => {
  let length = 0;
  for (let at = 0; at < longestPrefix; at++) {
    const byte = bytes[at];
    if (byte === undefined) return undefined;
    length += (byte & 0x7f) * 2 ** (7 * at);
    if (byte >= 0x80) continue;
    if (length > limit) throw tooLarge('a message', limit);
    const end = at + 1 + length;
    return end > bytes.length ? undefined : { start: at + 1, end, next: end };
  }
  throw fault('bad_request', '', 'has a length prefix of more than five bytes');
};

export function binaryMessage(body: Uint8Array): Buffer {
  return Buffer.concat([binaryPrefix(body.length), body]);
}

/** Returns the length that stands before a binary message. */
export function binaryPrefix(length: number): Buffer {
  const prefix: number[] = [];
  let rest = length;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) prefix.push((rest & 0x7f) | 0x80);
  prefix.push(rest);
  return Buffer.from(prefix);
}
