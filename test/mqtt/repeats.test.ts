import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Incoming } from '../../src/mqtt/intake.ts';
import { mostUnderWay } from '../../src/mqtt/repeats.ts';
import { storeFolder } from '../store/embedded/store-folder.ts';
import { intakeOf, messageOf, never, senderOf, valuesOf } from './intake-store.ts';

const folder = storeFolder('mqtt-repeats');
const ns = (ms: number): bigint => BigInt(ms) * 1_000_000n;
const hour = 3_600_000;

/** A client that sends the same message again and again over the connections that the test tells. */
async function openClient() {
  const store = await folder.open();
  const { intake } = intakeOf(store, () => folder.now);
  let at = ns(folder.now);
  const next = (): bigint => {
    at = at < ns(folder.now) ? ns(folder.now) : at + 1n;
    return at;
  };
  let sender = senderOf('c', next());
  const connect = (goodbyeAt?: bigint): void => {
    sender = senderOf('c', next(), goodbyeAt);
  };
  const publish = async (more: Partial<Incoming> = {}): Promise<void> => {
    const message = messageOf('t/s/v', '1', { arrivedAt: next(), ...more });
    assert.deepEqual(await intake.take(sender, [message], never), [undefined]);
  };
  const rows = async (): Promise<number> => (await valuesOf(store, 't', 's', 'v')).length;
  return { connect, publish, rows, next };
}

describe('a message of MQTT that comes again', () => {
  it('has one row, however many connections break before it comes', async () => {
    const { connect, publish, rows } = await openClient();
    await publish();
    for (let i = 0; i < 3; i++) connect();
    await publish();
    assert.equal(await rows(), 1);
  });

  it('is another one over the same connection, after a goodbye, and with another number', async () => {
    const { connect, publish, rows, next } = await openClient();
    await publish();
    await publish();
    const goodbye = next();
    connect(goodbye);
    await publish();
    connect(goodbye);
    await publish({ packetId: 7 + 2 * mostUnderWay });
    assert.equal(await rows(), 4);
  });

  it('is another one where its client has sent more since it came back than it had under way', async () => {
    const { connect, publish, rows } = await openClient();
    await publish();
    connect();
    await publish({ numberedBefore: 2 * mostUnderWay });
    assert.equal(await rows(), 2);
    connect();
    await publish({ numberedBefore: 2 * mostUnderWay, dup: true });
    assert.equal(await rows(), 2);
  });

  it('is another one when the first is an hour old, however often it came meanwhile', async () => {
    const { connect, publish, rows } = await openClient();
    await publish();
    for (let i = 0; i < 3; i++) {
      folder.now += hour / 4;
      connect();
      await publish();
    }
    assert.equal(await rows(), 1);
    folder.now += hour / 4 + 1;
    connect();
    await publish();
    assert.equal(await rows(), 2);
  });
});
