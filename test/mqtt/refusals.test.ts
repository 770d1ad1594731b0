import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PitwallError } from '../../src/errors.ts';
import { BadPacket } from '../../src/mqtt/packets.ts';
import { Rebirths } from '../../src/mqtt/rebirths.ts';
import { causeOf, topicNotes } from '../../src/mqtt/refusals.ts';

describe('what MQTT does not take', () => {
  it('is told of each topic once a minute, and topics are forgotten after that', () => {
    let now = 0;
    const told: string[] = [];
    const note = topicNotes(
      () => now,
      (topic, reason, times) => told.push(`${topic} ${reason} ${times}`),
    );
    for (let i = 0; i < 100; i++) note(`t${i}`, 'first');
    assert.equal(told.splice(0).length, 100);
    for (const reason of ['a', 'b']) note('t0', reason);
    for (const topic of ['more', 'and more']) note(topic, 'c');
    assert.deepEqual(told.splice(0), ['(others) c 1']);
    now = 60_000;
    note('late', 'd');
    assert.deepEqual(told.splice(0), ['t0 b 2', 'late d 1']);
    note('t5', 'e');
    assert.deepEqual(told.splice(0), ['t5 e 1']);
  });

  it('ends a connection with its own reason', () => {
    const causes = [
      new BadPacket('x', 0x95),
      new PitwallError('request_timeout'),
      new PitwallError('overloaded'),
      new TypeError('x'),
    ].map(causeOf);
    assert.deepEqual(
      causes.map(({ reason, code }) => [reason, code]),
      [
        ['bad_packet', 0x95],
        ['request_timeout', 0x97],
        ['overloaded', 0x97],
        ['internal', 0x83],
      ],
    );
  });
});

describe('births that nodes of Sparkplug are asked for', () => {
  it('come one after the other, and of one node once in five seconds', () => {
    let now = 0;
    const rebirths = new Rebirths(() => now);
    const asked = () =>
      Array.from({ length: 120 }, (_, i) => rebirths.ask('w', 'g', `n${i}`)).filter((one) => one).length;
    assert.deepEqual([asked(), asked()], [50, 0]);
    now = 1000;
    assert.equal(asked(), 50);
    now = 2000;
    assert.equal(asked(), 20);
    now = 5000;
    assert.equal(asked(), 50);
  });

  it('are not asked for where a broker does not have it', () => {
    let off = 0;
    const count = () => {
      off++;
    };
    const refused = new Rebirths(() => 0, count);
    refused.refused();
    refused.refused();
    assert.deepEqual([refused.ask('w', 'g', 'n'), off], [undefined, 1]);
    const silent = new Rebirths(() => 0, count);
    for (let i = 0; i < 2; i++) silent.unanswered();
    silent.answered();
    for (let i = 0; i < 2; i++) silent.unanswered();
    assert.ok(silent.ask('w', 'g', 'n'));
    silent.unanswered();
    assert.deepEqual([silent.ask('w', 'g', 'm'), off], [undefined, 2]);
  });
});
