import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import type { Client } from '../../src/mqtt/client.ts';
import type { Accepted } from '../../src/mqtt/connect.ts';
import { loadPackets } from '../../src/mqtt/packets.ts';
import { ReaderMemory } from '../../src/mqtt/reader-memory.ts';
import { Sessions } from '../../src/mqtt/sessions.ts';
import { subscribeAll } from '../../src/mqtt/subscribing.ts';
import { neverAborted } from '../../src/turns/pace.ts';
import { turnsOf } from '../turns-of.ts';

describe('a subscription to very many filters', () => {
  it('lets others have their turns, and is granted as far as a session may go', async () => {
    await loadPackets();
    const followed: string[] = [];
    const wanted: string[] = [];
    const sessions = new Sessions({
      subscriptions: {
        add: (_caller, { topic }) => followed.push(topic),
        remove: () => undefined,
        drop: () => undefined,
      },
      memory: new ReaderMemory(1 << 24),
      onLeftOut: () => undefined,
      onEnded: () => undefined,
      now: () => 0,
    });
    const principal = { tokenId: 't', workspace: 'w', scopes: ['read'] } as const;
    const { session } = sessions.open(principal, 'c', true, { takenOver: () => undefined });
    const stream = new PassThrough();
    const accepted = { version: 5 } as Accepted;
    const client = { accepted, session, principal, stream, signal: neverAborted } as unknown as Client;
    const lastValues = {
      send: async (_session: unknown, filters: readonly string[]) => {
        wanted.push(...filters);
      },
    };
    const subscriptions = Array.from({ length: 300_000 }, (_, i) => ({
      topic: `cars/${i}/+`,
      qos: 1 as const,
    }));
    const packet = { cmd: 'subscribe', messageId: 1, subscriptions } as const;
    const counted = new Map<string, number>();
    const door = { refused: (reason: string) => counted.set(reason, (counted.get(reason) ?? 0) + 1) };
    const parts = {
      door,
      sessions,
      lastValues,
      settled: async () => undefined,
      onRefusedClient: () => undefined,
    };
    assert.ok((await turnsOf(subscribeAll(parts as never, client, packet as never))) >= 3);
    assert.deepEqual([session.filterCount, wanted.length], [1000, 1000]);
    assert.deepEqual([...counted], [['too_many_filters', 299_000]]);
    // The library hands on what it wrote in a later turn.
    setImmediate(() => stream.end());
    const codes = (await buffer(stream)).subarray(-subscriptions.length);
    assert.deepEqual([codes.indexOf(0x97), codes.lastIndexOf(1)], [1000, 999]);
  });
});
