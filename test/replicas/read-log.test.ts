import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { natsAddress } from '../../src/live/nats/address.ts';
import { openReplicaLog } from '../../src/replicas/nats-log.ts';
import { readLog } from '../../src/replicas/read-log.ts';
import { temporaryFolder } from '../e2e/service.ts';
import { natsMissing, startNats } from '../live/nats-server.ts';

describe('reading the log', { skip: natsMissing }, () => {
  it('asks for what it has where nothing delivers it, and takes each message once when it is delivered again', async () => {
    const nats = await startNats(['-js', '-sd', temporaryFolder()]);
    const address = natsAddress(nats.url, '--replicas');
    const log = await openReplicaLog({ address, cluster: 'c', node: 'one', logBytes: 1 << 20 });
    for (let i = 1; i <= 5; i++) assert.equal(await log.publish(`m${i}`, Buffer.from(`m${i}`), 1000), i);
    const taken: string[] = [];
    const ending = new AbortController();
    let reads = 0;
    await readLog({
      replicaLog: {
        messageAt: (sequence) => log.messageAt(sequence),
        // As where the server that delivers has died without a word.
        read: (from, handle, signal) =>
          ++reads > 1
            ? log.read(from, handle, signal)
            : new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
      },
      from: 1,
      known: { sequence: 0, mark: 0 },
      take: async ({ data }) => {
        taken.push(Buffer.from(data).toString());
        assert.equal(reads, taken.length <= 4 ? 1 : 2);
        if (taken.length === 5) ending.abort();
      },
      lastSeen: () => 4,
      signal: ending.signal,
      log: { warn: () => undefined },
    });
    assert.deepEqual(taken, ['m1', 'm2', 'm3', 'm4', 'm5']);
    await log.close();
  });
});
