import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodedTopic } from '../../src/ingest/decoded.ts';
import { WritePath } from '../../src/ingest/write-path.ts';
import { createMetrics } from '../../src/metrics.ts';
import { longBodyBytes } from '../../src/wire/json/in-slices.ts';

it('makes nothing of a long body before there is room and it has its turn', async () => {
  const waiting: (() => void)[] = [];
  let isFull = true;
  const room = () => (isFull ? new Promise<void>((resolve) => waiting.push(resolve)) : undefined);
  const clock = { now: Date.now, wall: Date.now, aheadMs: 1000 };
  const path = new WritePath({ room }, { commit: async () => 0 }, createMetrics(), clock);
  let begun = 0;
  let most = 0;
  function* steps() {
    most = Math.max(most, ++begun);
    yield;
    return decodedTopic('t', undefined);
  }
  const call = { workspace: 'w', signal: () => new AbortController().signal };
  const one = () => path.write(call, longBodyBytes, steps()).then(() => begun--);
  const all = [one(), one(), one()];
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(begun, 0);
  isFull = false;
  for (const resolve of waiting) resolve();
  await Promise.all(all);
  assert.equal(most, 1);
});
