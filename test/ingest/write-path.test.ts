import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodedTopic } from '../../src/ingest/decoded.ts';
import { writePath } from '../../src/ingest/write-path.ts';
import { createMetrics } from '../../src/metrics.ts';
import { longBodyBytes } from '../../src/wire/json/in-slices.ts';

it('makes nothing of a long body before there is room and it has its turn', async () => {
  const waiting: (() => void)[] = [];
  let isFull = true;
  const room = () => (isFull ? new Promise<void>((resolve) => waiting.push(resolve)) : undefined);
  const write = writePath(room, async () => 0, createMetrics(), Date.now, 1000);
  let begun = 0;
  let most = 0;
  const call = { workspace: 'w', signal: () => new AbortController().signal };
  const one = () =>
    write(call, new Uint8Array(longBodyBytes), {
      steps: () => {
        most = Math.max(most, ++begun);
        return (function* () {
          yield;
        })();
      },
      decoded: () => decodedTopic('t', undefined),
    }).then(() => begun--);
  const all = [one(), one(), one()];
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(begun, 0);
  isFull = false;
  for (const resolve of waiting) resolve();
  await Promise.all(all);
  assert.equal(most, 1);
});
