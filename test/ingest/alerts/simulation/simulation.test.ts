import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noCounts, runRound } from './simulation.ts';

describe('alert rules beside plain ones', () => {
  // More of it: npm run test:alerts
  it('say the same in the first steps of some seeds', async () => {
    const counts = noCounts();
    for (let seed = 1; seed <= 2; seed++) await runRound({ seed, steps: 60, counts });
    for (const [name, count] of Object.entries(counts)) assert.ok(count > 0, name);
  });
});
