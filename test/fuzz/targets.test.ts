import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fuzz } from './fuzz.ts';
import type { Target } from './target.ts';
import { targets } from './targets.ts';

/** The short run: `npm run test:fuzz` goes on from other seeds. */
const seed = 1;

describe('what reads bytes from outside', () => {
  for (const target of targets.filter(({ short }) => short > 0)) {
    it(`keeps its claim: ${target.name}`, async () => {
      const close = await target.open?.();
      try {
        const { inputs } = await fuzz(target, { seed, goOn: (tried) => tried < target.short });
        assert.ok(inputs >= target.short);
      } finally {
        await close?.();
      }
    });
  }
});

describe('fuzzing', () => {
  /** A reader that fails at a quote that stands behind a brace. */
  const broken: Target = {
    name: 'broken',
    short: 0,
    make: (random) => Buffer.from(Array.from({ length: 30 }, () => random.pick([0x7b, 0x22, 0x61, 0x62]))),
    check(input) {
      if (input.includes('{"')) throw new Error('does not know quotes');
    },
  };
  const failure = async (from: number): Promise<string> => {
    const run = fuzz(broken, { seed: from, goOn: (tried) => tried < 10_000 });
    return await run.then(
      () => assert.fail('it found nothing'),
      (error: Error) => error.message,
    );
  };

  it('finds what breaks a claim, makes it small, and names the seed that finds it at once', async () => {
    const message = await failure(5);
    assert.match(message, /^broken: does not know quotes\nthe smallest input, 2 of 30 bytes:\n {2}"\{\\""\n/);
    const again = /--seed (\d+)/.exec(message)![1]!;
    assert.equal(await failure(Number(again)), message);
  });

  it('ends where it may not go on', async () => {
    const { inputs } = await fuzz({ ...broken, check() {} }, { seed: 1, goOn: (tried) => tried < 1000 });
    assert.equal(inputs, 1000);
  });
});
