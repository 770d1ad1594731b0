import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { calculatedNames } from '../../../web/src/lines/calculated.ts';
import { roundedReading, shownText } from '../../../web/src/lines/conversions.ts';
import { valueText } from '../../../web/src/lines/reading.ts';

describe('the text of a value', () => {
  const value = 13.699999999999818;
  const reading = { x: 0, low: value, high: value, rows: 1, span: { from: 1n, to: 1n } };

  it('has every digit that was written, and nine of what was calculated', () => {
    calculatedNames.value = new Set(['drag']);
    assert.equal(valueText(roundedReading('drag', reading)!), '13.7');
    assert.equal(shownText('drag', value), '13.7');
    assert.equal(valueText(roundedReading('speed', reading)!), '13.699999999999818');
    assert.equal(shownText('speed', value), '13.699999999999818');
  });
});
