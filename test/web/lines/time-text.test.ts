import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseTime, timeText } from '../../../web/src/lines/time-text.ts';

describe('a time that is typed', () => {
  it('is of 64 bits of nanoseconds, and refused beyond them', () => {
    const most = 2n ** 63n - 1n;
    assert.equal(parseTime(String(most)), most);
    assert.equal(parseTime('2262-04-11 23:47:16.854775807'), most);
    assert.equal(parseTime(String(-most - 1n)), -most - 1n);
    for (const text of [
      String(most + 1n),
      '9999999999999999999',
      '-9999999999999999999',
      '17958931120000000000000',
      '2262-04-11 23:47:16.854775808',
      '9999-01-01 00:00',
    ])
      assert.match(String(parseTime(text)), /^Times are from 1677-09-21 to 2262-04-11/, text);
  });

  it('may have an offset behind it', () => {
    const time = 1_612_191_099_500_000_000n;
    for (const text of [
      '2021-02-01 14:51:39.5Z',
      '2021-02-01T15:51:39.5+01:00',
      '2021-02-01T09:21:39.5-05:30',
    ])
      assert.equal(parseTime(text), time, text);
  });

  it('is read back as it is told, to the nanosecond', () => {
    for (const text of ['2026-05-31 12:30:00.000000001', '2024-02-29 23:59:59.999999999'])
      assert.equal(timeText(parseTime(text) as bigint), text);
  });

  it('is none where there is no such day or hour', () => {
    for (const text of ['2026-02-30 10:00', '2025-02-29T10:00Z', '2026-04-31 10:00', '2026-05-31 25:00'])
      assert.match(String(parseTime(text)), /^Type a time such as/, text);
  });
});
