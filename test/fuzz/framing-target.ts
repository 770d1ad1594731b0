import { PitwallError } from '../../src/errors.ts';
import { createMessageBuffer, type Framing } from '../../src/hub/protocol/message-buffer.ts';
import {
  binaryMessage,
  binaryMessageFormat,
  textMessage,
  textMessageFormat,
} from '../../src/hub/protocol/message-formats.ts';
import { mutate } from './mutate.ts';
import { type Random, randomOf } from './random.ts';
import type { Target } from './target.ts';

const words = ['\u001e', '\u0080', '\u00ff', '\u0000'].map((word) => Buffer.from(word, 'latin1'));
const limit = 200;

/** However the bytes of a connection are cut, the same messages come of them, none above the limit, and the same end. */
function framingTarget(name: string, framing: Framing, write: (body: string) => Buffer): Target {
  return {
    name,
    short: 2000,
    make(random) {
      const messages = Array.from({ length: random.below(6) }, () => write('x'.repeat(lengthOf(random))));
      const bytes = Buffer.concat(messages);
      return random.once(2) ? mutate(bytes, random, words, [bytes]) : bytes;
    },
    check(input) {
      const whole = messagesOf([input], framing);
      const cut = messagesOf(pieces(input), framing);
      if (whole.join() !== cut.join()) throw new Error(`reads ${whole.join()} whole and ${cut.join()} cut`);
    },
  };
}

export const textFramingTarget = framingTarget('framing-text', textMessageFormat, textMessage);
export const binaryFramingTarget = framingTarget('framing-binary', binaryMessageFormat, (body) =>
  binaryMessage(Buffer.from(body)),
);

function lengthOf(random: Random): number {
  return random.below(random.once(4) ? limit + 10 : 20);
}

/** The messages in hexadecimal, and what they end with: an error, or so many bytes that wait. */
function messagesOf(chunks: readonly Buffer[], framing: Framing): string[] {
  const buffer = createMessageBuffer();
  const found: Buffer[] = [];
  const told = (): string[] => found.map((message) => message.toString('hex'));
  for (const chunk of chunks) {
    buffer.push(Buffer.from(chunk));
    try {
      for (let next = buffer.next(framing, limit); next !== undefined; next = buffer.next(framing, limit)) {
        if (next.length > limit) throw new Error(`a message of ${next.length} bytes`);
        found.push(next);
      }
    } catch (error) {
      if (error instanceof PitwallError) return [...told(), error.code];
      throw error;
    }
  }
  return [...told(), `${buffer.size()} wait`];
}

function pieces(input: Buffer): Buffer[] {
  const random = randomOf(input);
  const found: Buffer[] = [];
  for (let at = 0; at < input.length; ) {
    const end = Math.min(input.length, at + 1 + random.below(random.once(3) ? 100 : 3));
    found.push(input.subarray(at, end));
    at = end;
  }
  return found;
}
