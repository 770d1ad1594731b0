import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSender } from '../../../src/live/nats/sender.ts';

/** A sender to a server that confirms when the test says so. */
function setUp() {
  const sent: string[] = [];
  const flushes: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const lostIn: string[] = [];
  let isBroken = false;
  let isOver = false;
  const later: (() => void)[] = [];
  const sender = createSender(
    {
      publish(subject, message) {
        if (isBroken) throw new Error('broken');
        sent.push(`${subject} ${Buffer.from(message)}`);
      },
      flush: () => new Promise((resolve, reject) => flushes.push({ resolve, reject })),
    },
    { maxWaitingBytes: 100, windowBytes: 50 },
    ({ topic }) => lostIn.push(topic),
    { isOver: () => isOver, later: (work) => void later.push(work) },
  );
  const offer = (name: string, bytes: number) =>
    sender.offer({
      subject: 's',
      place: { workspace: 'w', topic: name },
      messages: [Buffer.from(name)],
      bytes,
    });
  return {
    sender,
    sent,
    flushes,
    lostIn,
    offer,
    /** What is made has as many slices as there are calls. */
    slice() {
      isOver = true;
      for (const work of later.splice(0)) work();
      isOver = false;
    },
    get turnsAsked() {
      return later.length;
    },
    endSlices() {
      isOver = true;
    },
    breakDown() {
      isBroken = true;
    },
  };
}

describe('what is sent to other nodes', () => {
  it('goes at once while little is on its way, then waits in order for NATS', async () => {
    const { sender, sent, flushes, offer } = setUp();
    offer('a', 20);
    offer('b', 40);
    offer('c', 60);
    offer('d', 10);
    assert.deepEqual(sent, ['s a', 's b']);
    assert.deepEqual([sender.offered, sender.passed, sender.lost], [4, 2, 0]);
    const drained = sender.drained();
    flushes[0]!.resolve();
    await new Promise(setImmediate);
    assert.deepEqual(sent, ['s a', 's b', 's c']);
    flushes[1]!.resolve();
    await drained;
    assert.deepEqual(sent, ['s a', 's b', 's c', 's d']);
    assert.deepEqual([sender.offered, sender.passed, sender.lost], [4, 4, 0]);
  });

  it('is made in slices where it is large, in order with what comes meanwhile', async () => {
    const { sender, sent, offer, slice, endSlices } = setUp();
    const made: string[] = [];
    function* messages() {
      for (const name of ['1', '2', '3']) {
        made.push(name);
        yield undefined;
        yield Buffer.from(name);
      }
    }
    endSlices();
    sender.offer({ subject: 's', place: { workspace: 'w', topic: 't' }, messages: messages(), bytes: 10 });
    offer('after', 5);
    assert.deepEqual([made, sent], [['1'], []]);
    assert.deepEqual([sender.offered, sender.passed], [2, 0]);
    const drained = sender.drained();
    slice();
    assert.deepEqual([made, sent], [['1', '2'], ['s 1']]);
    slice();
    slice();
    await drained;
    assert.deepEqual(sent, ['s 1', 's 2', 's 3', 's after']);
    assert.deepEqual([sender.offered, sender.passed, sender.lost], [2, 2, 0]);
  });

  it('asks for one turn after the other, however often NATS confirms meanwhile', async () => {
    const made = setUp();
    function* messages() {
      for (let i = 0; i < 20; i++) yield undefined;
    }
    made.endSlices();
    made.sender.offer({
      subject: 's',
      place: { workspace: 'w', topic: 't' },
      messages: messages(),
      bytes: 10,
    });
    made.sender.confirm();
    made.flushes[0]!.resolve();
    await new Promise(setImmediate);
    assert.equal(made.turnsAsked, 1);
    made.slice();
    assert.equal(made.turnsAsked, 1);
  });

  it('is lost as a whole where the connection goes while it is made', () => {
    const { sender, sent, offer, slice, endSlices } = setUp();
    function* messages() {
      yield Buffer.from('1');
      yield undefined;
      yield Buffer.from('2');
    }
    endSlices();
    sender.offer({ subject: 's', place: { workspace: 'w', topic: 't' }, messages: messages(), bytes: 10 });
    sender.disconnected();
    slice();
    offer('after', 5);
    assert.deepEqual(sent, ['s 1', 's after']);
    assert.deepEqual([sender.offered, sender.passed, sender.lost], [2, 2, 1]);
  });

  it('is lost, and counted, where it finds no room', () => {
    const { sender, sent, lostIn, offer } = setUp();
    offer('a', 50);
    offer('b', 60);
    offer('c', 60);
    offer('d', 40);
    assert.deepEqual(sent, ['s a']);
    assert.deepEqual([sender.offered, sender.passed, sender.lost], [4, 2, 1]);
    // Its topic is known, so nobody else has to be told.
    assert.deepEqual([lostIn, sender.lostAnywhere], [['c'], 0]);
  });

  it('may be larger than the room where nothing else waits, and takes all of its parts along', () => {
    const { sender } = setUp();
    const part = (name: string, hasRoom: boolean) =>
      sender.offer(
        { subject: 's', place: { workspace: 'w', topic: name }, messages: [], bytes: 90 },
        hasRoom,
      );
    assert.deepEqual([part('a', false), part('a', true), part('a', true)], [true, true, true]);
    assert.equal(part('b', false), false);
    assert.equal(sender.lost, 1);
  });

  it('is lost with its connection, but for what NATS has confirmed', async () => {
    const { sender, sent, flushes, offer } = setUp();
    offer('a', 10);
    sender.confirm();
    flushes[0]!.resolve();
    await new Promise(setImmediate);
    sender.disconnected();
    assert.equal(sender.lost, 0);
    offer('b', 50);
    offer('c', 10);
    sender.disconnected();
    assert.equal(sender.lost, 2);
    flushes[1]!.reject(new Error('gone'));
    offer('d', 10);
    await new Promise(setImmediate);
    assert.deepEqual(sent, ['s a', 's b', 's d']);
    sender.missed();
    assert.deepEqual([sender.offered, sender.passed, sender.lost], [5, 5, 3]);
  });

  it('is lost where it cannot be published', () => {
    const { sender, offer, breakDown } = setUp();
    breakDown();
    offer('a', 10);
    assert.equal(sender.lost, 1);
  });
});
