import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createMessageBuffer, type Framing } from '../../../src/hub/protocol/message-buffer.ts';
import {
  binaryMessage,
  binaryMessageFormat,
  textMessage,
  textMessageFormat,
} from '../../../src/hub/protocol/message-formats.ts';

/** Cuts bytes at the given places and reads every message as soon as it is whole. */
function readCut(bytes: Buffer, cuts: readonly number[], framing: Framing, limit = 1_000_000): string[] {
  const buffer = createMessageBuffer();
  const messages: Buffer[] = [];
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    // A copy, as a socket would give it: reading must not depend on what lies after it.
    buffer.push(Buffer.from(bytes.subarray(from, cut)));
    for (let next = buffer.next(framing, limit); next !== undefined; next = buffer.next(framing, limit)) {
      messages.push(next);
    }
    from = cut;
  }
  assert.equal(buffer.size(), 0);
  // Only now: a message must stay as it is while others come.
  return messages.map(String);
}

const formats = [
  ['text', textMessageFormat, (body: string) => textMessage(body)],
  ['binary', binaryMessageFormat, (body: string) => binaryMessage(Buffer.from(body))],
] as const;

for (const [name, framing, write] of formats) {
  describe(`the ${name} message format`, () => {
    const bodies = ['{"type":6}', '', 'ä'.repeat(100), 'x'.repeat(20_000), '7'];
    const whole = Buffer.concat(bodies.map(write));

    it('reads messages cut in two at every byte', () => {
      for (let cut = 0; cut <= whole.length; cut += cut < 400 ? 1 : 997) {
        assert.deepEqual(readCut(whole, [cut], framing), bodies);
      }
    });

    it('reads messages that come byte by byte', () => {
      const short = Buffer.concat(bodies.slice(0, 3).map(write));
      assert.deepEqual(readCut(short, Array.from(short.keys()), framing), bodies.slice(0, 3));
    });

    it('reads any messages cut anywhere', () => {
      const text = fc.string().map((body) => body.replaceAll('\u001e', ''));
      fc.assert(
        fc.property(fc.array(text), fc.array(fc.nat(200)), (given, places) => {
          const bytes = Buffer.concat(given.map(write));
          const cuts = places.filter((place) => place <= bytes.length).sort((a, b) => a - b);
          assert.deepEqual(readCut(bytes, cuts, framing), given);
        }),
      );
    });

    it('refuses a message above the limit before it is whole', () => {
      const buffer = createMessageBuffer();
      buffer.push(write('x'.repeat(101)).subarray(0, 102));
      assert.throws(() => buffer.next(framing, 100), { code: 'body_too_large' });
    });

    it('takes a message of exactly the limit', () => {
      assert.deepEqual(readCut(write('x'.repeat(100)), [], framing, 100), ['x'.repeat(100)]);
    });
  });
}

describe('the binary message format', () => {
  it('writes the length seven bits at a time', () => {
    assert.deepEqual([...binaryMessage(Buffer.from([0x91, 6]))], [2, 0x91, 6]);
    assert.deepEqual([...binaryMessage(Buffer.alloc(300)).subarray(0, 2)], [0xac, 0x02]);
  });

  it('refuses a length of more than five bytes', () => {
    const buffer = createMessageBuffer();
    buffer.push(Buffer.alloc(5, 0x80));
    assert.throws(() => buffer.next(binaryMessageFormat, 1000), { code: 'bad_request' });
  });
});
