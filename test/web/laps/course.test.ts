import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clockCourse, parameterCourse } from '../../../web/src/laps/course.ts';
import { deltaOf, deltaText } from '../../../web/src/laps/delta.ts';

const start = 1_800_000_000_000_000_001n;
const second = 1_000_000_000n;
const at = (seconds: number) => start + BigInt(Math.round(seconds * 1e9));

describe('the course of a lap', () => {
  const course = parameterCourse([0, 1, 2, 3].map(at), [10, 20, 40, 60], true);

  it('has places between rows, and none outside', () => {
    assert.equal(course.placeAt(at(1)), 20);
    assert.equal(course.placeAt(at(1.5)), 30);
    assert.equal(course.placeAt(at(-0.1)), undefined);
    assert.equal(course.placeAt(at(3.1)), undefined);
  });

  it('knows when a place is reached, between rows too', () => {
    assert.equal(course.secondsAt!(10), 0);
    assert.equal(course.secondsAt!(50), 2.5);
    assert.equal(course.secondsAt!(61), undefined);
  });

  it('knows when it is within bounds, the rows around included', () => {
    assert.deepEqual(course.spanOf([25, 35]), { from: at(1), to: at(2) });
    assert.deepEqual(course.spanOf([20, 45]), { from: at(0), to: at(3) });
    assert.equal(course.spanOf([70, 80]), undefined);
  });

  it('knows from when to when it is inside of bounds, between rows too', () => {
    assert.deepEqual(course.insideOf([15, 50]), { from: at(0.5), to: at(2.5) });
    assert.deepEqual(course.insideOf([20, 20]), { from: at(1), to: at(1) });
    // As far as it goes.
    assert.deepEqual(course.insideOf([0, 100]), { from: at(0), to: at(3) });
    assert.equal(course.insideOf([61, 100]), undefined);
    assert.equal(course.insideOf([0, 9]), undefined);
    assert.deepEqual(
      [9, 10, 35, 60, 61].map((place) => course.isReached(place)),
      [false, true, true, true, false],
    );
  });

  it('has no places in a gap', () => {
    const silent = parameterCourse([0, 1, 2, 20, 21].map(at), [0, 1, 2, 20, 21], true);
    assert.equal(silent.placeAt(at(10)), undefined);
    assert.equal(silent.secondsAt!(10), undefined);
    assert.equal(silent.isReached(10), false);
    assert.deepEqual(silent.insideOf([1, 10]), { from: at(1), to: at(2) });
    assert.deepEqual(silent.insideOf([10, 20.5]), { from: at(20), to: at(20.5) });
    assert.equal(silent.insideOf([5, 10]), undefined);
    assert.equal(silent.secondsAt!(20.5), 20.5);
  });

  it('begins at its least place: the first row may still be of the lap before', () => {
    const late = parameterCourse([0, 1, 2, 3].map(at), [5400, 0, 50, 100], true);
    assert.equal(late.begin, 0);
    assert.equal(late.secondsAt!(75), 2.5);
  });

  it('is none where places fall as they rise', () => {
    const speed = parameterCourse([0, 1, 2, 3, 4].map(at), [10, 80, 20, 90, 5], true);
    assert.equal(speed.secondsAt, undefined);
    assert.equal(speed.isReached(30), false);
    assert.equal(speed.insideOf([10, 90]), undefined);
    assert.equal(speed.placeAt(at(0.5)), 45);
  });

  it('is the clock where there is no parameter', () => {
    const clock = clockCourse(start, { from: start, to: at(80) });
    assert.equal(clock.placeAt(at(1.5)), 1.5);
    assert.deepEqual(clock.spanOf([1, 2]), { from: start + second, to: start + 2n * second });
    assert.deepEqual(clock.insideOf([1, 2]), { from: start + second, to: start + 2n * second });
    assert.deepEqual(
      [-1, 0, 80, 80.1].map((place) => clock.isReached(place)),
      [false, true, true, false],
    );
  });
});

describe('the time that a lap has lost', () => {
  it('is told at equal places, from the first place that both have', () => {
    const reference = parameterCourse([0, 10, 20].map(at), [0, 100, 200], true);
    const lap = parameterCourse([100, 109, 121].map(at), [10, 100, 200], true);
    const delta = deltaOf(lap, reference)!;
    assert.equal(delta(10), 0);
    assert.equal(delta(100), 0);
    assert.equal(delta(150), 1);
    assert.equal(delta(5), undefined);
    assert.equal(deltaText(delta(150)!, true), '+1.000 s');
    assert.equal(deltaText(-0.25, false), '≈ −0.250 s');
  });
});
