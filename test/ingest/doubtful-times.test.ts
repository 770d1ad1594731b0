import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { doubtfulTimes } from '../../src/ingest/doubtful-times.ts';
import type { Change } from '../../src/store/store.ts';
import { rowsOf } from '../store/embedded/rows.ts';

const now = Date.parse('2026-06-01T00:00:00Z');
const ms = BigInt(now);

function rows(streamId: string, ...times: readonly bigint[]): Change {
  return {
    type: 'rows',
    topic: 'Cars',
    streamId,
    rows: [rowsOf(times.map((time) => ({ time, cells: { a: 1 } })))],
  };
}

const look = (...changes: readonly Change[]) => doubtfulTimes(() => now).look('w', changes)?.text;

describe('times that were probably meant in another unit', () => {
  it('lie within ten years of now when they are taken in that unit', () => {
    assert.equal(
      look(rows('lap-7', ms)),
      'The timestamp 1780272000000 of the stream "lap-7" is 1970-01-01T00:29:40.272Z: timestamps are nanoseconds. ' +
        'It was probably meant in milliseconds, 2026-06-01T00:00:00.000Z.',
    );
    assert.match(look(rows('s', ms / 1000n))!, / in seconds, 2026-06-01/);
    assert.match(look(rows('s', ms * 1000n))!, / in microseconds, 2026-06-01/);
    const year = 31_557_600n;
    assert.match(look(rows('s', ms / 1000n - 9n * year))!, / in seconds, 2017/);
    assert.match(look(rows('s', ms / 1000n + 9n * year))!, / in seconds, 2035/);
    for (const years of [11n, -11n]) assert.equal(look(rows('s', ms / 1000n + years * year)), undefined);
  });

  it('are none of those that are nanoseconds, small or negative', () => {
    const times = [ms * 1_000_000n, 0n, 1n, 1000n, -ms, -(1n << 63n), (1n << 63n) - 1n];
    for (const time of times) assert.equal(look(rows('s', time)), undefined, `${time}`);
    assert.equal(look({ type: 'stream', topic: 't', streamId: 's' }), undefined);
  });

  it('are found at both ends of a payload', () => {
    assert.match(look(rows('s', 0n, ms))!, /milliseconds/);
    assert.match(look(rows('s', ms, 0n))!, /milliseconds/);
  });

  it('are told once a stream, when the write is done', () => {
    const times = doubtfulTimes(() => now);
    const doubt = times.look('w', [rows('a', ms), rows('b', ms), rows('fine', 1n)])!;
    assert.match(doubt.text, /"a".*So it is with another stream\.$/);
    assert.deepEqual(times.look('w', [rows('a', ms)])?.keys.length, 1);
    assert.equal(times.tell(doubt), doubt.text);
    assert.equal(times.tell(doubt), undefined);
    assert.equal(times.look('w', [rows('a', ms), rows('b', ms)]), undefined);
    assert.equal(times.look('w', [{ ...rows('a', ms), topic: 'CARS' } as Change]), undefined);
    assert.ok(times.look('another workspace', [rows('a', ms)]) !== undefined);
  });

  it('are remembered of so many streams only', () => {
    const times = doubtfulTimes(() => now);
    const first = times.look('w', [rows('first', ms)])!;
    times.tell(first);
    const many = Array.from({ length: 10_000 }, (_, i) => rows(`s${i}`, ms));
    const doubt = times.look('w', many)!;
    assert.equal(doubt.keys.length, 4096);
    assert.equal(times.tell(doubt), doubt.text);
    assert.equal(times.tell(first), first.text);
  });
});
