import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { observeClock, serviceNow, serviceTimes } from '../../../web/src/state/service-clock.ts';

/** Answers of a service whose clock is ahead of this one by some time, at times of this one. */
function observe(aheadMs: number, at: readonly number[]): void {
  for (const sentAt of at) {
    const answeredAt = sentAt + 8;
    const date = new Date(Math.floor((sentAt + 4 + aheadMs) / 1000) * 1000).toUTCString();
    observeClock(date, sentAt, answeredAt);
  }
}

describe("the service's clock", () => {
  const begin = Date.now();
  const times = Array.from({ length: 40 }, (_, i) => begin + i * 137);

  it('is known to a fraction of a second by answers that tell seconds', () => {
    for (const ahead of [0, 1234, -3_600_250]) {
      observe(ahead, times);
      const off = serviceNow() - Date.now() - ahead;
      assert.ok(Math.abs(off) < 100, `off by ${off} ms where it is ahead by ${ahead}`);
    }
  });

  it('lies between the times that the answers leave open', () => {
    for (const ahead of [0, 1234, -3_600_250]) {
      observe(ahead, times);
      const before = Date.now();
      const { least, most } = serviceTimes();
      assert.ok(least <= before + ahead && Date.now() + ahead <= most, `${least} … ${most}, ahead ${ahead}`);
      assert.ok(most - least < 200, `${most - least} ms`);
    }
  });

  it('is left as it was by an answer without a date', () => {
    const before = serviceNow() - Date.now();
    observeClock(null, begin, begin + 1);
    observeClock('soon', begin, begin + 1);
    assert.ok(Math.abs(serviceNow() - Date.now() - before) < 5);
  });
});
