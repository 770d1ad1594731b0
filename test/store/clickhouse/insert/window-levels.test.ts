import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seriesOf } from '../../../../src/store/clickhouse/insert/series-values.ts';
import { windowLevels } from '../../../../src/store/clickhouse/insert/window-levels.ts';
import { versionClock } from '../../../../src/store/clickhouse/server/version-clock.ts';
import { lengthsOfForm, windowLengths } from '../../../../src/store/clickhouse/server/window-lengths.ts';
import { numbers } from '../open-store.ts';

const clock = versionClock({ nowMs: Date.now, isShared: true });
const second = 1_000_000_000;

const owner = { workspace: 'w', topic: 't', stream: 's', retention: 0n };

/** Values of a series from `base` on, `step` ns apart. */
function series(base: number, count: number, step: number, stream = 's') {
  const rows = numbers(
    BigInt(base),
    Array.from({ length: count }, () => 0),
  );
  return seriesOf(
    { ...owner, stream },
    { ...rows, offsets: rows.offsets.map((row) => row * step) },
    clock,
  )[0]!;
}

/** How many values a window has. */
const inWindow = (level: number, step: number) => Number(windowLengths[level % lengthsOfForm]) / step;

describe('the levels of windows', () => {
  it('give windows of 256 to 2560 values, whatever the density', () => {
    for (let step = 4; step < 3e12; step *= 1.7) {
      const found = inWindow(windowLevels().levelOf(series(0, 100, Math.round(step))), Math.round(step));
      assert.ok(found >= 256 && found <= 2561, `${found} at ${step} ns`);
    }
  });

  it('are the same wherever a series of one density begins', () => {
    const levels = new Set(
      [0, 17, 1e9, -5e15, 1.7e18].map((base) => windowLevels().levelOf(series(base, 10, second))),
    );
    assert.equal(levels.size, 1);
  });

  it('are known from the second single value on', () => {
    const levels = windowLevels();
    const found = Array.from({ length: 5 }, (_, i) => levels.levelOf(series(i * 0.01 * second, 1, 1)));
    assert.deepEqual(found.slice(1), Array(4).fill(windowLevels().levelOf(series(0, 100, 0.01 * second))));
  });

  it('stay over pauses, over late values and while the density changes a little', () => {
    const levels = windowLevels();
    const level = levels.levelOf(series(0, 1000, second));
    for (const [base, count, step] of [
      [5000 * second, 1, 1],
      [86_400 * second, 1, 1],
      [86_401 * second, 1, 1],
      [10 * second, 1, 1],
      [90_000 * second, 100, 0.5 * second],
      [91_000 * second, 100, 2 * second],
    ] as const) {
      assert.equal(levels.levelOf(series(base, count, step)), level);
    }
  });

  it('follow another density', () => {
    const levels = windowLevels();
    const slow = levels.levelOf(series(0, 1000, second));
    const fast = levels.levelOf(series(2000 * second, 1000, second / 1000));
    assert.ok(inWindow(fast, second / 1000) < 16_384);
    assert.ok(fast < slow);
  });

  it('say how many digits numbers have, of a series with few values at a time the most that it had', () => {
    const levels = windowLevels();
    const formOf = (base: number, values: readonly number[]) => {
      const [one] = seriesOf(owner, numbers(BigInt(base), values), clock);
      return Math.floor(levels.levelOf(one!) / lengthsOfForm);
    };
    assert.equal(formOf(0, [1, 2]), 1);
    assert.equal(formOf(10, [1.5, 1.25]), 3);
    assert.equal(formOf(20, [7]), 3);
    assert.equal(formOf(30, [1 / 3]), 0);
    assert.equal(formOf(40, [7]), 3);
    assert.equal(
      formOf(
        50,
        Array.from({ length: 100 }, (_, i) => i),
      ),
      1,
    );
  });

  it('forget series that were not written for long, and no others', () => {
    const levels = windowLevels(10);
    const known = (stream: string) => levels.levelOf(series(0, 1, 1, stream));
    const [fast, single] = [levels.levelOf(series(0, 100, 1000, 'old')), known('single')];
    assert.notEqual(fast, single);
    for (let i = 0; i < 15; i++) known(`other ${i}`);
    assert.equal(known('old'), fast);
    for (let i = 0; i < 30; i++) known(`another ${i}`);
    assert.equal(known('old'), single);
  });
});
