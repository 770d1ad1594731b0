import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { insertBatching } from '../../../../src/store/clickhouse/insert/insert-batching.ts';

describe('the wait of an insert for more requests', () => {
  it('is none for the first request, and for a writer that is alone', () => {
    const batching = insertBatching();
    batching.joined(1000);
    assert.equal(batching.restMs(1, 1000, 1000), 0);
    batching.settled(1050, 50, 1);
    batching.joined(1051);
    assert.equal(batching.restMs(1, 1051, 1051), 0);
  });

  it('lasts while requests come, until as many are there as were under way', () => {
    const batching = insertBatching();
    batching.settled(1000, 50, 3);
    batching.joined(1004);
    assert.equal(batching.restMs(1, 1004, 1004), 10);
    batching.joined(1012);
    assert.equal(batching.restMs(2, 1004, 1012), 10);
    batching.joined(1020);
    assert.equal(batching.restMs(3, 1004, 1020), 0);
  });

  it('ends when nobody has come for a fifth of the time of an insert', () => {
    const batching = insertBatching();
    batching.joined(990);
    batching.settled(1000, 50, 3);
    assert.equal(batching.restMs(1, 990, 1000), 10);
    assert.equal(batching.restMs(1, 990, 1010), 0);
  });

  it('is no longer than an insert takes, and no longer than 200 ms', () => {
    const batching = insertBatching();
    batching.settled(1000, 50, 100);
    batching.joined(1049);
    assert.equal(batching.restMs(60, 980, 1049), 1);
    batching.settled(2000, 60_000, 100);
    batching.joined(2190);
    assert.equal(batching.restMs(60, 1990, 2190), 10);
  });
});
