import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { spaced } from '../../../web/src/state/spaced.ts';
import { until } from '../../until.ts';

describe('what is done with a pause', () => {
  it('is done at once, and of many that come in the pause with the last', async () => {
    const done: number[] = [];
    const { put } = spaced<number>(20, (value) => done.push(value));
    put(1);
    assert.deepEqual(done, [1]);
    for (const value of [2, 3, 4]) put(value);
    assert.deepEqual(done, [1]);
    await until(() => done.length > 1);
    assert.deepEqual(done, [1, 4]);
  });

  it('is done now where one cannot wait, and not where it is dropped', () => {
    const done: number[] = [];
    const { put, end, drop } = spaced<number>(60_000, (value) => done.push(value));
    for (const value of [1, 2]) put(value);
    end();
    end();
    assert.deepEqual(done, [1, 2]);
    put(3);
    drop();
    end();
    assert.deepEqual(done, [1, 2]);
  });
});
