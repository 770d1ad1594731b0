import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { timeTicks } from '../../../web/src/plots/time-ticks.ts';

const day = 86_400_000_000_000n;
const start = 1_800_000_000_123_456_789n;

describe('ticks of time', () => {
  it('say the dates of whole days, however long the range is', () => {
    for (const days of [40n, 300n, 4000n, 30_000n]) {
      const ticks = timeTicks({ from: start, to: start + days * day }, start);
      const texts = ticks.texts(ticks.splits(1200));
      assert.ok(texts.length >= 3, `${texts.length} ticks of ${days} days`);
      for (const text of texts) assert.match(text, /^\d{4}-\d\d-\d\d$/, `of ${days} days`);
      assert.equal(new Set(texts).size, texts.length);
    }
  });

  it('are two at least of a month on a phone', () => {
    for (let days = 28n; days <= 31n; days++) {
      const ticks = timeTicks({ from: start, to: start + days * day }, start);
      assert.ok(ticks.splits(390).length >= 2, `of ${days} days`);
    }
  });

  it('are two at least of any range on a phone', () => {
    for (let span = 2n; span < 20_000n * day; span += 1n + span / 7n)
      for (const from of [start, start + span / 3n]) {
        const ticks = timeTicks({ from, to: from + span }, from);
        assert.ok(ticks.splits(390).length >= 2, `of ${span} ns`);
      }
  });

  it('say round times from an origin that is long ago', () => {
    const hour = day / 24n;
    const ticks = timeTicks({ from: start + 900n * day, to: start + 900n * day + 8n * hour }, start);
    for (const text of ticks.texts(ticks.splits(1000))) assert.match(text, /^\d\d:00(\n|$)/);
  });
});
