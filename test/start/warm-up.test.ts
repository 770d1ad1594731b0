import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadConfig } from '../../src/config.ts';
import type { Log } from '../../src/log.ts';
import { warmUp } from '../../src/start/warm-up.ts';
import type { EmbeddedStore } from '../../src/store/embedded/store.ts';
import { rowsOf } from '../store/embedded/rows.ts';
import { storeFolder } from '../store/embedded/store-folder.ts';

const config = loadConfig({ argv: [], env: {} });
const told: unknown[] = [];
const log = { debug: (fields: unknown) => told.push(fields) } as unknown as Log;
const folder = storeFolder('warm-up');

/** The store, and the questions that reach it. */
function watched(store: EmbeddedStore) {
  const questions: string[] = [];
  const reader = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name === 'answer') questions.push('answer');
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { reader, questions };
}

const speeds = [1n, 2_000_000_000n, 4_000_000_000_000_000_001n].map((time, i) => ({
  time,
  cells: { Speed: i },
}));

describe('a warm-up', () => {
  it('asks the store what dashboards ask, and ends', async () => {
    const store = await folder.open();
    await store.append({
      workspace: 'default',
      changes: [{ type: 'rows', topic: 'a "topic"', streamId: 's', rows: [rowsOf(speeds)] }],
    });
    const { reader, questions } = watched(store);
    await warmUp(reader, config, log).ended;
    assert.deepEqual(told, []);
    // Where its rows are, then both questions in turn.
    assert.equal(questions.length, 61);
  });

  it('asks nothing where there are no numbers', async () => {
    const store = await folder.open();
    const { reader, questions } = watched(store);
    await warmUp(reader, config, log).ended;
    assert.equal(questions.length, 0);
    assert.deepEqual(told, []);
  });

  it('ends at once when it is told to', async () => {
    const store = await folder.open();
    const { reader, questions } = watched(store);
    const warming = warmUp(reader, config, log);
    await warming.end();
    assert.equal(questions.length, 0);
    assert.deepEqual(told, []);
  });
});
