import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleBlock } from '../../../../src/store/clickhouse/insert/sample-block.ts';
import { seriesOf } from '../../../../src/store/clickhouse/insert/series-values.ts';
import { versionClock } from '../../../../src/store/clickhouse/server/version-clock.ts';
import { numbers } from '../open-store.ts';

/** Whether a block of such writes says that no identity stands in it twice. */
function isDistinct(...writes: { stream?: string; topic?: string; base: bigint; values: number[] }[]) {
  const clock = versionClock({ nowMs: Date.now, isShared: true });
  const runs = writes.flatMap(({ stream = 's', topic = 't', base, values }) =>
    seriesOf({ workspace: 'w', topic, stream, retention: 0n }, numbers(base, values), clock),
  );
  return sampleBlock(runs).isDistinct;
}

describe('a block of samples', () => {
  it('knows that nothing is repeated in writes that follow one another, in whatever order they come', () => {
    assert.equal(isDistinct({ base: 0n, values: [1, 2, 3] }), true);
    assert.equal(isDistinct({ base: 3n, values: [4] }, { base: 0n, values: [1, 2, 3] }), true);
    assert.equal(isDistinct({ base: -5n, values: [1, 2] }, { base: 0n, values: [1] }), true);
    const highWord = 2n ** 32n;
    assert.equal(
      isDistinct({ base: highWord - 1n, values: [1, 2] }, { base: highWord + 1n, values: [3] }),
      true,
    );
  });

  it('knows that other streams and topics are others', () => {
    assert.equal(isDistinct({ base: 0n, values: [1] }, { stream: 'r', base: 0n, values: [1] }), true);
    assert.equal(isDistinct({ base: 0n, values: [1] }, { topic: 'u', base: 0n, values: [1] }), true);
  });

  it('says so of nothing that meets', () => {
    assert.equal(isDistinct({ base: 0n, values: [1] }, { base: 0n, values: [2] }), false);
    assert.equal(isDistinct({ base: 0n, values: [1, 2, 3] }, { base: 2n, values: [4] }), false);
    assert.equal(isDistinct({ base: 0n, values: [1, 2, 3] }, { base: 1n, values: [4] }), false);
    assert.equal(isDistinct({ base: -1n, values: [1, 2] }, { base: 0n, values: [3] }), false);
    const highWord = 2n ** 32n;
    assert.equal(isDistinct({ base: highWord - 1n, values: [1, 2] }, { base: highWord, values: [3] }), false);
  });

  it('says so of no rows whose times do not rise', () => {
    const [owner, rows] = [{ workspace: 'w', topic: 't', stream: 's', retention: 0n }, numbers(0n, [1, 2])];
    const still = seriesOf(
      owner,
      { ...rows, offsets: Float64Array.of(7, 7) },
      versionClock({ nowMs: Date.now, isShared: true }),
    );
    assert.equal(sampleBlock(still).isDistinct, false);
  });
});
