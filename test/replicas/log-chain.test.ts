import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeGroup, Groups, MessagesLost, markOf, partsOf } from '../../src/replicas/frame.ts';
import { LogChain } from '../../src/replicas/log-chain.ts';

const begin = { sequence: 0, chain: 0 };

/** What has read the log from a place on, and sends groups of one record. */
function node(sender: string, from = begin) {
  const chain = new LogChain(from);
  const groups = new Groups(chain);
  let number = 0;
  return {
    chain,
    send(record = `${sender} ${number}`): Buffer {
      const group = encodeGroup([{ id: record, record: Buffer.from(record) }]);
      return partsOf({ sender, number: number++, after: chain.last }, group, 1000)[0]!;
    },
    read(sequence: number, message: Uint8Array): void {
      groups.take(message, sequence, 0);
      chain.add(sequence, markOf(message));
    },
  };
}

describe('what nodes have read of the log', () => {
  it('is the same where they have read the same messages, from wherever they began', () => {
    const [a, b] = [node('a'), node('b')];
    const log: Buffer[] = [];
    for (let i = 0; i < 20; i++) {
      log.push((i % 3 === 0 ? a : b).send());
      for (const one of [a, b]) one.read(log.length, log.at(-1)!);
    }
    assert.deepEqual(a.chain.last, b.chain.last);
    assert.notDeepEqual(a.chain.last.chain, 0);
    const late = node('c', a.chain.last);
    log.push(a.send());
    for (const one of [a, late]) one.read(log.length, log.at(-1)!);
    assert.deepEqual(late.chain.last, a.chain.last);
    // After a start some messages are read again.
    late.read(19, log[18]!);
    assert.deepEqual(late.chain.last, a.chain.last);
  });

  it('differs where one has not got a message that was read after the next of the same sender was sent', () => {
    const [a, b] = [node('a'), node('b')];
    const [first, second] = [a.send(), a.send()];
    a.read(1, first);
    a.read(2, second);
    // Servers of the log differ: where the first stood b finds another.
    b.read(1, second);
    const lease = node('c').send();
    a.read(3, lease);
    b.read(2, lease);
    assert.throws(() => b.read(3, a.send()), MessagesLost);
  });

  it('differs where one has a message more, whoever sends the next one', () => {
    const [a, b, c] = [node('a'), node('b'), node('c')];
    const [first, more, other] = [a.send(), b.send(), c.send()];
    for (const one of [a, b, c]) one.read(1, first);
    b.read(2, more);
    for (const one of [a, c]) one.read(2, other);
    assert.throws(() => b.read(3, c.send()), MessagesLost);
    // The sender has read a message in the place in which this one stands.
    assert.throws(() => node('d').read(1, c.send()), MessagesLost);
  });

  it('is not compared where that is before a node began, or too long ago', () => {
    // What it has read is not what a node has that begins with zeros.
    const [a, late] = [node('a', { sequence: 0, chain: 3 }), node('b', { sequence: 5, chain: 7 })];
    late.read(6, a.send());
    const early = a.send();
    for (let sequence = 1; sequence <= 8191; sequence++) a.read(sequence, node('b', a.chain.last).send());
    assert.equal(a.chain.differsFrom({ sequence: 0, chain: 4 }), true);
    a.read(8192, early);
    assert.equal(a.chain.differsFrom({ sequence: 0, chain: 4 }), false);
  });
});
