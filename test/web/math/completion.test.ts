import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rowFunctions } from '../../../src/expression/row-functions.ts';
import { runningFunctions, windowFunctions } from '../../../src/expression/syntax.ts';
import { completionsAt, helpAt } from '../../../web/src/math/completion.ts';
import { flawFrom } from '../../../web/src/math/flaw.ts';
import { functions, overTime } from '../../../web/src/math/functions.ts';

const known = {
  channels: [
    { id: 'Speed', unit: 'km/h' },
    { id: 'WheelSpeed', unit: 'km/h' },
    { id: 'Oil Temp', unit: '°C' },
    { id: 'Say "hi"', unit: '' },
  ],
  tags: ['LapNumber', "driver's"],
};
/** What is offered where `|` stands, and what the text is with the first one taken. */
const at = (marked: string) => {
  const caret = marked.indexOf('|');
  const text = marked.replace('|', '');
  const offers = completionsAt(text, caret, known);
  const [first] = offers;
  return {
    labels: offers.map(({ label }) => label),
    taken: first && text.slice(0, first.from) + first.insert + text.slice(first.to),
  };
};

describe('completion of expressions', () => {
  it('knows the functions that the service knows', () => {
    const all = [...Object.keys(rowFunctions), ...runningFunctions, ...windowFunctions, 'over'];
    assert.deepEqual(functions.map(({ name }) => name).sort(), all.sort());
    assert.deepEqual(overTime, windowFunctions);
  });

  it('offers names by their beginning first, then by what is in them', () => {
    assert.deepEqual(at('sp|').labels, ['Speed', 'WheelSpeed']);
    assert.deepEqual(at('2 * temp|').labels, ['Oil Temp']);
    assert.deepEqual(at('deri|').labels, ['derivative(x)']);
    assert.deepEqual(at('Speed + |').labels, []);
    assert.deepEqual(at('12|').labels, []);
  });

  it('puts names into quotes where they need them', () => {
    assert.equal(at('2 * temp| + 1').taken, '2 * "Oil Temp" + 1');
    assert.equal(at('"oi|').taken, '"Oil Temp"');
    assert.equal(at('hi|').taken, '"Say ""hi"""');
    assert.equal(at('deri|').taken, 'derivative(');
    assert.equal(at('Sp|eed').taken, 'Speed');
  });

  it('offers tags in over, times in windows', () => {
    assert.deepEqual(at("over(sum(Speed), '|").labels, known.tags);
    assert.equal(at("over(sum(Speed), 'dri|").taken, "over(sum(Speed), 'driver''s'");
    assert.deepEqual(at("movingMean(min(Speed, 2), '2|").labels, ['2s']);
    assert.deepEqual(at("abs('|").labels, []);
  });

  it('tells what the function around the caret does', () => {
    assert.equal(helpAt('abs(clamp(Speed, ', 17)?.name, 'clamp');
    assert.equal(helpAt('abs(clamp(Speed, 1, 2) ', 23)?.name, 'abs');
    assert.equal(helpAt('abs(1)', 6), undefined);
    assert.equal(helpAt('lowpass', 7)?.name, 'lowpass');
  });
});

describe('a flaw of an expression', () => {
  it('has the place that the service tells', () => {
    assert.deepEqual(flawFrom('at character 9: expected a value, and found /', 'Speed / / 3'), {
      place: { start: 8, end: 9 },
      message: 'expected a value, and found /',
    });
    assert.deepEqual(flawFrom('at character 1: has no function abz', 'abz(x)').place, { start: 0, end: 3 });
    assert.deepEqual(flawFrom('at character 5: expected a value', 'a + ').place, { start: 4, end: 4 });
    assert.equal(flawFrom('has 33 parameters', 'a').place, undefined);
  });

  it('is the bracket that is not closed', () => {
    const ends = 'at character 18: expected an operator, "," or ")", and the expression ends';
    const { place, message } = flawFrom(ends, '(a) + max((b), "(" ');
    assert.deepEqual([place?.start, place?.end], [9, 10]);
    assert.equal(message, 'this bracket, at character 10, is not closed');
    // Something else is missing first.
    assert.equal(
      flawFrom('at character 7: expected a value, and the expression ends', 'max(a, ').place?.start,
      6,
    );
  });
});
