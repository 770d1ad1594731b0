import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engineMissing, startEngine } from '../../clickhouse/engine.ts';
import { startFaultyProxy } from '../../clickhouse/faulty-proxy.ts';
import { keptLog, openStore } from './open-store.ts';

describe('a store whose ClickHouse answers no more', { skip: engineMissing }, () => {
  it('closes, whatever it began in the background', { timeout: 60_000 }, async () => {
    const engine = await startEngine();
    const proxy = await startFaultyProxy(engine);
    const { lines, log } = keptLog();
    const store = await openStore(proxy.urlOf(engine.url), { log });
    // A start looks for what others began, which takes many statements.
    proxy.set({ kind: 'hang' });
    while (proxy.seen('hang') === 0) await new Promise(setImmediate);
    await store.close();
    assert.deepEqual(
      lines.filter((line) => line.startsWith('could not')),
      [],
    );
    await proxy.stop();
    await engine.stop();
  });
});
