import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { natsAddress } from '../../src/live/nats/address.ts';
import { openReplicaLog } from '../../src/replicas/nats-log.ts';
import { readLog } from '../../src/replicas/read-log.ts';
import { temporaryFolder } from '../e2e/service.ts';
import { natsMissing, startNats } from '../live/nats-server.ts';

async function openLog(context: TestContext) {
  const nats = await startNats(['-js', '-sd', temporaryFolder()]);
  const address = natsAddress(nats.url, '--replicas');
  const log = await openReplicaLog({ address, cluster: 'c', node: 'one', logBytes: 1 << 20 });
  context.after(() => log.close());
  return log;
}

describe('reading the log', { skip: natsMissing }, () => {
  it('asks for what it has where nothing delivers it, and takes each message once when it is delivered again', async (context) => {
    const log = await openLog(context);
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
  });

  it('begins anew where a message could not be taken', async (context) => {
    const log = await openLog(context);
    for (let i = 1; i <= 3; i++) await log.publish(`m${i}`, Buffer.from(`m${i}`), 1000);
    const taken: string[] = [];
    const warned: string[] = [];
    const ending = new AbortController();
    await readLog({
      replicaLog: log,
      from: 1,
      known: { sequence: 0, mark: 0 },
      take: async ({ data }) => {
        const text = Buffer.from(data).toString();
        if (text === 'm2' && warned.length === 0) throw new Error('not now');
        taken.push(text);
        if (text === 'm3') ending.abort();
      },
      lastSeen: () => 3,
      signal: ending.signal,
      log: {
        warn: (_bindings: unknown, text?: string) => {
          warned.push(text ?? '');
          if (warned.length > 3) ending.abort();
        },
      },
    });
    assert.deepEqual([taken, warned.length], [['m1', 'm2', 'm3'], 1]);
  });
});
