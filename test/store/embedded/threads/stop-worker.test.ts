import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { stopWorker } from '../../../../src/store/embedded/threads/stop-worker.ts';

const compressing = `
const { deflateRawSync } = require('node:zlib');
const { parentPort } = require('node:worker_threads');
const bytes = Buffer.alloc(100, 'abc ');
parentPort.on('message', () => process.exit());
(async () => {
  for (;;) {
    for (let i = 0; i < 200; i++) deflateRawSync(bytes);
    await new Promise((resolve) => setImmediate(resolve));
  }
})();
parentPort.postMessage('begun');
`;
const stuck = `require('node:worker_threads').parentPort.postMessage('begun'); for (;;);`;

async function begun(program: string): Promise<Worker> {
  const worker = new Worker(program, { eval: true });
  await once(worker, 'message');
  return worker;
}

describe('stopping a thread', () => {
  it('leaves the process alive where the thread compresses all the time', async () => {
    for (let round = 0; round < 20; round++) {
      const worker = await begun(compressing);
      await sleep(round % 5);
      await stopWorker(worker, 'stop', 60_000);
      assert.equal(worker.threadId, -1);
    }
  });

  it('ends one that is stuck, and finds one that has gone', async () => {
    const worker = await begun(stuck);
    await stopWorker(worker, 'stop', 20);
    assert.equal(worker.threadId, -1);
    await stopWorker(worker, 'stop', 60_000);
  });
});
