import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drive } from '../../../src/demo/drive.ts';
import { seededRandom } from '../../../src/demo/random.ts';
import { makeTrack } from '../../../src/demo/track.ts';
import { crossingOf, type LineRows } from '../../../web/src/laps/crossing.ts';

const distance = 8;
const side = 10;

/** Times of laps, from crossings and as the demo tells them, s. */
function lapTimes(seed: number, hertz: number, laps: number): { found: number; told: number }[] {
  const track = makeTrack();
  const rows: { seconds: number; place: number; lap: number }[] = [];
  const told: number[] = [];
  for (const { seconds, lap, values, events } of drive(track, hertz, seededRandom(seed))) {
    rows.push({ seconds, place: values[distance]!, lap });
    for (const { id, value } of events) {
      const [minutes = 0, rest = 0] = value.split(':').map(Number);
      if (id === 'LapCompleted') told.push(minutes * 60 + rest);
    }
    if (lap > laps + 1) break;
  }
  const of = (own: typeof rows): LineRows => ({
    seconds: own.map(({ seconds }) => seconds),
    places: own.map(({ place }) => place),
  });
  const lines = [0];
  for (let lap = 1; lap <= laps; lap++) {
    const next = rows.findIndex((row) => row.lap === lap + 1);
    const crossing = crossingOf(of(rows.slice(next - side, next)), of(rows.slice(next, next + side)));
    lines.push(crossing!.seconds);
    assert.ok(Math.abs(crossing!.length - track.length) < 0.2, `the lap is ${crossing!.length} m long`);
  }
  return told.slice(0, laps).map((time, i) => ({ found: lines[i + 1]! - lines[i]!, told: time }));
}

describe('the crossing of a line', () => {
  it('gives lap times to a millisecond, from rows 20 ms apart and rounded to 0.1 m', () => {
    for (let seed = 1; seed <= 8; seed++) {
      for (const { found, told } of lapTimes(seed, 50, 6))
        assert.ok(Math.abs(found - told) < 0.0015, `${found} s, told as ${told}`);
    }
  });

  it('is found between the rows, with one row behind it', () => {
    const before = { seconds: [0, 1, 2, 3], places: [60, 70, 80, 90] };
    assert.deepEqual(crossingOf(before, { seconds: [4], places: [2.5] }), { seconds: 3.75, length: 97.5 });
  });

  it('is not found where the way does not begin anew, or rows are too few', () => {
    const before = { seconds: [0, 1, 2], places: [70, 80, 90] };
    assert.equal(crossingOf(before, { seconds: [3], places: [100] }), undefined);
    assert.equal(crossingOf({ seconds: [2], places: [90] }, { seconds: [3], places: [1] }), undefined);
    assert.equal(crossingOf(before, { seconds: [], places: [] }), undefined);
  });
});
