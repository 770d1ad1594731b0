import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cases } from '../../../extent.ts';
import { faultRounds } from './fault-rounds.ts';

describe('a data folder after a clean stop', () => {
  // More of them: npm run test:faults
  it('with a flipped bit, a zeroed sector or a cut gives no other answer without a word', async () => {
    const faults = cases(40);
    const { counts, failures } = await faultRounds({ faults, seed: 1 });
    assert.deepEqual(failures, []);
    assert.ok(counts.told + counts.refused + counts.repaired >= faults / 4, JSON.stringify(counts));
  });
});

describe('a data folder after a kill in a load', () => {
  // More of them: npm run test:faults -- --after kill
  it('with a fault gives no other answer without a word, but for a last write that is cut', async () => {
    const faults = cases(16);
    const { counts, failures } = await faultRounds({ faults, seed: 1, after: 'kill' });
    assert.deepEqual(failures, []);
    assert.ok(counts.told + counts.refused + counts.repaired >= faults / 4, JSON.stringify(counts));
  });
});
