import { decodeBase64, encodeBase64 } from '../../src/wire/json/base64.ts';
import { mutate } from './mutate.ts';
import type { Target } from './target.ts';

const words = ['=', '==', '+', '/', '-', '_', ' ', '\n', 'A'].map((word) => Buffer.from(word));

/**
 * Base64 is read as Node's Buffer reads it, wherever Buffer writes the same text again, with or without its padding;
 * all else is refused. What is written reads back, and nothing is written behind the room that a text may need.
 */
export const base64Target: Target = {
  name: 'base64',
  short: 5000,
  make(random) {
    const bytes = Buffer.from(Array.from({ length: random.below(24) }, () => random.below(256)));
    const text = Buffer.from(bytes.toString(random.once(8) ? 'base64url' : 'base64'));
    return random.once(2) ? mutate(text, random, words, [text]) : text;
  },
  check(input) {
    const room = Math.ceil(input.length / 4) * 3;
    const out = Buffer.alloc(room + 4, 0xee);
    const size = decodeBase64(input, 0, input.length, out, 0);
    if (out.subarray(room).some((byte) => byte !== 0xee)) throw new Error('writes behind its room');
    const expected = Buffer.from(input.toString('latin1'), 'base64');
    const padded = expected.toString('base64');
    const isBase64 = [padded, padded.replace(/=+$/, '')].includes(input.toString('latin1'));
    if (!isBase64) {
      if (size >= 0) throw new Error(`takes ${size} bytes of what is no base64`);
      return;
    }
    if (size !== expected.length || !out.subarray(0, size).equals(expected))
      throw new Error('reads other bytes');
    const again = Buffer.alloc(padded.length);
    const end = encodeBase64(out, 0, size, again, 0);
    if (again.toString('latin1', 0, end) !== padded)
      throw new Error(`writes ${again.toString('latin1', 0, end)}`);
  },
};
