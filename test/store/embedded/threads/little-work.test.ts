import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { littleWork } from '../../../../src/store/embedded/threads/little-work.ts';

describe('little work', () => {
  it('is more where nothing has been written for a while', () => {
    let [lsn, time] = [7, 1000];
    const most = littleWork(
      () => lsn,
      () => time,
    );
    const after = (ms: number) => {
      time += ms;
      return most();
    };
    const [beside, atRest] = [after(0), after(150)];
    assert.ok(atRest > beside);
    lsn++;
    // When it came is not known, but that it came since the last look.
    assert.equal(after(5000), beside);
    assert.equal(after(50), beside);
    assert.equal(after(51), atRest);
    lsn++;
    assert.equal(after(1), beside);
  });
});
