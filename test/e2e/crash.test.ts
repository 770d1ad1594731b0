import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crashRounds } from './crash-rounds.ts';

describe('the service', () => {
  it('keeps what it acknowledged, and nothing by halves, though it is killed at any moment', async () => {
    const { acknowledged } = await crashRounds({ rounds: 3, seed: 1 });
    assert.ok(acknowledged > 30, `${acknowledged} requests were acknowledged`);
  });
});
