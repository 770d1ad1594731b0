import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import type { Client } from '../../src/mqtt/client.ts';
import { loadPackets } from '../../src/mqtt/packets.ts';
import { type SubscribingParts, subscribeAll } from '../../src/mqtt/subscribing.ts';
import { neverAborted } from '../../src/turns/pace.ts';

/** The turns of others while somebody subscribes to more filters than a session may have. */
async function turnsDuring(filters: number): Promise<number> {
  await loadPackets();
  const parts = {
    sessions: { commands: { countOf: () => 0 } },
    settled: async () => undefined,
  } as unknown as SubscribingParts;
  const client = {
    accepted: { version: 5 },
    session: { filterCount: 1000 },
    principal: { scopes: ['read'] },
    stream: new PassThrough().resume(),
    signal: neverAborted,
  } as unknown as Client;
  const subscriptions = Array.from({ length: filters }, (_, i) => ({
    topic: `cars/${i}/+/#`,
    qos: 1 as const,
  }));
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await subscribeAll(parts, client, { cmd: 'subscribe', messageId: 1, subscriptions });
  isOver = true;
  return turns;
}

describe('a subscription to very many filters', () => {
  it('lets others have their turns', async () => {
    assert.ok((await turnsDuring(300_000)) >= 3);
  });
});
