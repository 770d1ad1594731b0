import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { removalLog } from '../../../../src/store/embedded/catalog/removal-log.ts';

describe('the log of removals', () => {
  it('tells which streams have gone since a count', () => {
    const log = removalLog();
    const start = log.count;
    assert.deepEqual(log.since(start), []);
    log.add(7);
    const later = log.count;
    assert.notEqual(later, start);
    log.add(9);
    assert.deepEqual(log.since(start), [7, 9]);
    assert.deepEqual(log.since(later), [9]);
    assert.deepEqual(log.since(log.count), []);
  });

  it('tells of no streams where any may have lost rows, or of too many changes', () => {
    const log = removalLog();
    const start = log.count;
    log.add(7);
    log.add(undefined);
    assert.equal(log.since(start), undefined);
    const after = log.count;
    assert.ok(after > start + 1);
    log.add(8);
    assert.deepEqual(log.since(after), [8]);
    for (let i = 0; i < 5000; i++) log.add(i);
    assert.equal(log.since(after), undefined);
    assert.equal(log.count, after + 5001);
  });
});
