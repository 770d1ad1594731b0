import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseTime, timeText } from '../../../web/src/lines/time-text.ts';

describe('a time that is typed', () => {
  it('is read back as it is told, to the nanosecond', () => {
    for (const text of ['2026-05-31 12:30:00.000000001', '2024-02-29 23:59:59.999999999'])
      assert.equal(timeText(parseTime(text)!), text);
  });

  it('is none where there is no such day or hour', () => {
    for (const text of ['2026-02-30 10:00', '2025-02-29T10:00Z', '2026-04-31 10:00', '2026-05-31 25:00'])
      assert.equal(parseTime(text), undefined, text);
  });
});
