import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { differenceText, slopeText } from '../../../web/src/lines/difference.ts';
import type { Reading } from '../../../web/src/lines/reading.ts';

function reading(low: number, high = low, seconds = 0): Reading {
  const time = BigInt(seconds * 1e9);
  return { x: 0, low, high, rows: low === high ? 1 : 2, span: { from: time, to: time } };
}

describe('the difference of two readings', () => {
  it('is one number between rows', () => {
    assert.equal(differenceText(reading(12), reading(10.5)), '-1.5');
    // Whatever the cursors are apart that found these rows.
    assert.equal(slopeText(reading(12, 12, 3), reading(10.5, 10.5, 3.5)), '-3');
    assert.equal(slopeText(reading(12, 12, 3.5), reading(10.5, 10.5, 3)), '3');
  });

  it('says how far it may be where a reading stands for several rows', () => {
    assert.equal(differenceText(reading(1, 2), reading(5, 7)), '3 … 6');
    assert.equal(slopeText(reading(1, 2, 0), reading(5, 5, 1)), '');
  });

  it('is none where nothing is read', () => {
    assert.equal(differenceText(undefined, reading(1)), '');
    assert.equal(slopeText(reading(1), undefined), '');
    assert.equal(slopeText(reading(1), reading(2)), '');
  });
});
