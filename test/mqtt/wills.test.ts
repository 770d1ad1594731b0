import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client } from '../../src/mqtt/client.ts';
import type { Incoming } from '../../src/mqtt/intake.ts';
import { Wills } from '../../src/mqtt/wills.ts';

/** Wills, what they write and what is counted; `done` resolves those that are being written. */
function open() {
  const written: string[] = [];
  const counted: string[] = [];
  const under: (() => void)[] = [];
  const wills = new Wills({
    intake: {
      take(_sender, [message]: readonly Incoming[]) {
        written.push(message!.topic);
        return new Promise((resolve) => under.push(() => resolve([undefined])));
      },
    },
    door: {
      took: () => undefined,
      at: () => undefined,
      refused: (reason) => counted.push(reason),
    },
    onRefused: () => undefined,
    maxPacketBytes: 1 << 20,
    nextTime: () => 1n,
  });
  const leave = (topic: string, { delay = 0, scopes = ['write'], bytes = 10 } = {}) => {
    const session = { expiryMs: 60_000 };
    const client = { session, sender: {}, principal: { scopes } } as unknown as Client;
    const properties = { willDelayInterval: delay };
    wills.leave(client, { topic, payload: Buffer.alloc(bytes), qos: 0, retain: false, properties });
    return client.session;
  };
  const done = async () => {
    for (const end of under.splice(0)) end();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { wills, leave, done, written, counted };
}

describe('wills of MQTT', () => {
  it('are refused as messages are', () => {
    const { leave, written, counted } = open();
    for (const topic of ['$SYS/broker', 'a/+', 'x/'.repeat(200)]) leave(topic);
    leave('a/b', { scopes: ['read'] });
    assert.deepEqual([written, counted], [[], ['sys_topic', 'bad_name', 'bad_name', 'forbidden']]);
  });

  it('wait no longer than their session, and not for a client that is back', () => {
    const { wills, leave, written } = open();
    wills.cancel(leave('a/back', { delay: 60 }));
    const session = leave('a/gone', { delay: 60 });
    assert.deepEqual(written, []);
    wills.sessionEnded(session);
    wills.sessionEnded(session);
    assert.deepEqual(written, ['a/gone']);
  });

  it('are written where the service stops: sessions end with it', async () => {
    const { wills, leave, done, written } = open();
    leave('a/gone', { delay: 3600 });
    const stopped = wills.stop();
    assert.deepEqual(written, ['a/gone']);
    await done();
    await stopped;
  });

  it('are left out, and counted, where many wait for a store that takes nothing', async () => {
    const { wills, leave, done, written, counted } = open();
    for (let i = 0; i < 300; i++) leave('a/b', { bytes: 64_000, delay: (i % 2) * 60 });
    assert.equal(written.length, 130);
    assert.deepEqual(counted, Array(40).fill('overloaded'));
    await done();
    leave('a/b', { bytes: 64_000 });
    assert.equal(written.length, 131);
    await done();
    const stopped = wills.stop();
    assert.equal(written.length, 261);
    await done();
    await stopped;
  });
});
