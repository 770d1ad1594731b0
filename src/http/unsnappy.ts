import { PitwallError } from '../errors.ts';
import type { MemoryShare } from '../wire/json/json-memory.ts';

/**
 * The size, decompressed, from which on a body is decompressed on another thread: half a millisecond of work. Shorter ones are
 * not, for the memory of other threads is given back each time, and fresh pages cost more than all else that is done with a block.
 */
const longBytes = 2 * 1024 * 1024;

/**
 * Decompresses a block of Snappy (github.com/google/snappy/blob/main/format_description.txt): its length as a varint, then
 * copies and bytes as they are. No byte is made before that length was found small enough and taken from the share.
 * Throws `body_too_large` (413) where it is larger than `maxBytes`, and `bad_encoding` (400) for what is no such block, or
 * one of another length than it says.
 */
export async function unsnappy(body: Buffer, maxBytes: number, share: MemoryShare): Promise<Buffer> {
  if (body.length === 0) return body;
  const length = lengthOf(body);
  if (length > maxBytes) {
    throw new PitwallError('body_too_large', {
      detail: `a body may have ${maxBytes} bytes at most, decompressed`,
    });
  }
  share.take(length);
  const { uncompress, uncompressSync } = await import('snappy');
  try {
    const made = length < longBytes ? uncompressSync(body) : await uncompress(body);
    return made as Buffer;
  } catch {
    throw notSnappy();
  }
}

function lengthOf(body: Buffer): number {
  let length = 0;
  for (let at = 0; at < 5; at++) {
    const byte = body[at];
    if (byte === undefined) throw notSnappy();
    length += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) return length;
  }
  throw notSnappy();
}

function notSnappy(): PitwallError {
  return new PitwallError('bad_encoding', { detail: 'the body is not valid Snappy, in its block format' });
}
