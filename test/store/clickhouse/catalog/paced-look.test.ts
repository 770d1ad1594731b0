import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pacedLook } from '../../../../src/store/clickhouse/catalog/shared-look.ts';

describe('a look that strangers can ask for', () => {
  it('begins at once, and then no more often than it may, however often it is asked for', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let looks = 0;
    const look = pacedLook(async () => void looks++, 3_600_000);
    await look();
    assert.equal(looks, 1);
    const asked = Array.from({ length: 1000 }, () => look());
    assert.equal(looks, 1);
    t.mock.timers.tick(3_600_001);
    await Promise.all(asked);
    assert.equal(looks, 2);
  });
});
