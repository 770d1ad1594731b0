import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { channels } from '../../src/demo/channels.ts';
import { drive, type Sample } from '../../src/demo/drive.ts';
import { seededRandom } from '../../src/demo/random.ts';
import { makeTrack } from '../../src/demo/track.ts';

function laps(count: number, seed = 1): Sample[] {
  const samples: Sample[] = [];
  for (const sample of drive(makeTrack(), 50, seededRandom(seed))) {
    if (sample.lap > count) return samples;
    samples.push(sample);
  }
  return samples;
}

function column(samples: readonly Sample[], id: string): number[] {
  const index = channels.findIndex((channel) => channel.id === id);
  return samples.map(({ values }) => values[index]!);
}

describe('the demo', () => {
  const track = makeTrack();
  const samples = laps(3);

  it('has a track that ends where it begins, of a plausible length', () => {
    assert.ok(track.length > 3000 && track.length < 8000, String(track.length));
    const last = track.x.length - 1;
    const gap = Math.hypot(track.x[0]! - track.x[last]!, track.y[0]! - track.y[last]!);
    assert.ok(Math.abs(gap - track.step) < track.step / 10);
    // All the way around it turns by one full circle.
    const turn = track.curvature.reduce((sum, bend) => sum + bend * track.step, 0);
    assert.ok(Math.abs(Math.abs(turn) - 2 * Math.PI) < 0.1, String(turn));
  });

  it('keeps every channel within the range that its definition gives', () => {
    for (const { id, minimumValue, maximumValue } of channels) {
      for (const value of column(samples, id)) {
        assert.ok(Number.isFinite(value), id);
        if (minimumValue !== undefined) assert.ok(value >= minimumValue, `${id}: ${value} < ${minimumValue}`);
        if (maximumValue !== undefined) assert.ok(value <= maximumValue, `${id}: ${value} > ${maximumValue}`);
      }
    }
  });

  it('drives laps of a plausible time, the first one slower', () => {
    const times = [1, 2, 3].map((lap) => samples.filter((sample) => sample.lap === lap).length / 50);
    for (const time of times) assert.ok(time > 50 && time < 150, String(time));
    assert.ok(times[0]! > times[1]!);
  });

  it('moves as far as its speed says', () => {
    const speed = column(samples, 'Speed');
    const way = speed.reduce((sum, value) => sum + value / 3.6 / 50, 0);
    assert.ok(Math.abs(way / (3 * track.length) - 1) < 0.01, String(way));
    assert.ok(Math.max(...speed) > 250 && Math.min(...speed.slice(50)) < 150);
  });

  it('brakes or accelerates, and never both', () => {
    const throttle = column(samples, 'Throttle');
    const brake = column(samples, 'Brake');
    assert.ok(throttle.every((value, i) => value === 0 || brake[i] === 0));
    assert.ok(brake.some((value) => value > 50) && throttle.some((value) => value > 95));
  });

  it('tells each lap when it is completed', () => {
    const events = samples.flatMap((sample) => sample.events.map((event) => ({ ...event, lap: sample.lap })));
    const completed = events.filter(({ id }) => id === 'LapCompleted');
    assert.deepEqual(
      completed.map(({ lap }) => lap),
      [2, 3],
    );
    for (const { value } of completed) assert.match(value, /^\d:\d\d\.\d{3}$/);
  });

  it('is the same drive for the same seed, and another for another', () => {
    assert.deepEqual(laps(1, 5), laps(1, 5));
    assert.notDeepEqual(laps(1, 5), laps(1, 6));
  });
});
