import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { proposeStart } from '../../src/import/propose-start.ts';

const ns = (text: string) => BigInt(Date.parse(text)) * 1_000_000n;
const ms = (text: string) => Date.parse(text);
const hour = 3_600_000_000_000n;

describe('the start that is proposed for a file without one', () => {
  it('puts the last row at the last change of the file', () => {
    const start = proposeStart(
      { last: 90_500_000_000n, isOfDay: false },
      ms('2026-05-31T12:00:00Z'),
      7_200_000,
    );
    assert.equal(start, ns('2026-05-31T11:58:29.500Z'));
  });

  it('is a midnight where times are clocks: of the day of the change by the clock of whoever asks, or of the day before', () => {
    const midnight = (last: bigint, changed: string, shift = 0) =>
      proposeStart({ last, isOfDay: true }, ms(changed), shift);
    assert.equal(midnight(14n * hour, '2026-05-31T15:00:00Z'), ns('2026-05-31T00:00:00Z'));
    // Two hours ahead of UTC: 14:00 there is no time to come.
    assert.equal(midnight(14n * hour, '2026-05-31T12:05:00Z', 7_200_000), ns('2026-05-31T00:00:00Z'));
    // Changed behind midnight.
    assert.equal(midnight(23n * hour, '2026-06-01T00:05:00Z'), ns('2026-05-31T00:00:00Z'));
    // Rows that go on behind midnight count from the day before.
    assert.equal(midnight(25n * hour, '2026-06-01T01:30:00Z'), ns('2026-05-31T00:00:00Z'));
    // The clocks of logger and computer differ a little.
    assert.equal(midnight(14n * hour, '2026-05-31T13:40:00Z'), ns('2026-05-31T00:00:00Z'));
  });

  it('is none where a service could not keep it', () => {
    assert.equal(proposeStart({ last: 2n ** 64n, isOfDay: false }, 0, 0), undefined);
  });
});
