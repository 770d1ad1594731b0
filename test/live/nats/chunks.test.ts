import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chunks, createAssembly, senderId } from '../../../src/live/nats/chunks.ts';

const a = { sender: Buffer.alloc(8, 1), number: 1 };
const b = { sender: Buffer.alloc(8, 2), number: 1 };
const whole = Buffer.from(Array.from({ length: 1000 }, (_, i) => i % 251));

function setUp(maxBytes = 1 << 20) {
  const lost: string[] = [];
  const assembly = createAssembly({ maxBytes, onLost: (_reason, subject) => lost.push(subject) });
  const receive = (messages: Iterable<Uint8Array>, subject = 's') =>
    [...messages].map((message) => assembly.receive(message, subject)).filter((found) => found !== undefined);
  return { assembly, receive, lost };
}

describe('chunks of packages', () => {
  it('fit the largest message and come together again', () => {
    for (const size of [0, 1, 68, 69, 1000]) {
      const { receive, lost } = setUp();
      const sent = [...chunks(a, whole.subarray(0, size), 100)];
      assert.ok(sent.every(({ length }) => length <= 100));
      assert.deepEqual(
        receive(sent).map((found) => Buffer.from(found)),
        [whole.subarray(0, size)],
      );
      assert.deepEqual(lost, []);
    }
  });

  it('of several senders may be mixed, and may come twice', () => {
    const { receive } = setUp();
    const first = [...chunks(a, whole, 100)];
    const second = [...chunks(b, whole.subarray(1), 100)];
    const mixed = first.flatMap((chunk, i) => [
      chunk,
      chunk,
      ...second.slice(i, i + 1),
      ...second.slice(i, i + 1),
    ]);
    assert.deepEqual(
      receive(mixed).map(({ length }) => length),
      [999, 1000].reverse(),
    );
    assert.deepEqual(receive([...chunks({ ...a, number: 2 }, whole.subarray(0, 10), 100)]).length, 1);
    const again = [...chunks({ ...a, number: 3 }, whole.subarray(0, 10), 100)];
    assert.equal(receive([...again, ...again]).length, 1);
  });

  it('without their beginning are left out; without their end they are lost', () => {
    const { receive, lost } = setUp();
    const sent = [...chunks(a, whole, 100)];
    assert.deepEqual(receive(sent.slice(1)), []);
    assert.deepEqual(lost, []);
    assert.deepEqual(receive([...chunks({ ...a, number: 2 }, whole, 100)].slice(0, -1)), []);
    assert.equal(receive(chunks({ ...a, number: 3 }, whole, 100), 'of another').length, 1);
    assert.deepEqual(lost, ['s']);
  });

  it('take no more memory than they may, and give it back', () => {
    const { assembly, receive, lost } = setUp(1500);
    receive([...chunks(a, whole, 100)].slice(0, 2));
    assert.deepEqual(receive(chunks(b, whole, 100)), []);
    assert.equal(lost.length, 1);
    assembly.forget(senderId(a.sender));
    assert.equal(receive(chunks({ ...b, number: 2 }, whole, 100)).length, 1);
    assert.equal(receive(chunks({ ...b, number: 3 }, whole, 100)).length, 1);
  });
});
