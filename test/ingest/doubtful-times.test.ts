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

const times = () => doubtfulTimes(() => now, 60_000);
const look = (...changes: readonly Change[]) => times().look('w', changes).doubt?.text;

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
    const times = [ms * 1_000_000n, 0n, 1n, 1000n, -ms, -(1n << 63n)];
    for (const time of times) assert.equal(look(rows('s', time)), undefined, `${time}`);
    assert.equal(look({ type: 'stream', topic: 't', streamId: 's' }), undefined);
  });

  it('are found at both ends of a payload', () => {
    assert.match(look(rows('s', 0n, ms))!, /milliseconds/);
    assert.match(look(rows('s', ms, 0n))!, /milliseconds/);
  });

  it('are told once a stream, when the write is done', () => {
    const { look, tell } = times();
    const doubt = look('w', [rows('a', ms), rows('b', ms), rows('fine', 1n)]).doubt!;
    assert.match(doubt.text, /"a".*So it is with another stream\.$/);
    assert.deepEqual(look('w', [rows('a', ms)]).doubt?.keys.length, 1);
    assert.equal(tell(doubt), doubt.text);
    assert.equal(tell(doubt), undefined);
    assert.equal(look('w', [rows('a', ms), rows('b', ms)]).doubt, undefined);
    assert.equal(look('w', [{ ...rows('a', ms), topic: 'CARS' } as Change]).doubt, undefined);
    assert.ok(look('another workspace', [rows('a', ms)]).doubt !== undefined);
  });

  it('are remembered of so many streams only', () => {
    const { look, tell } = times();
    const first = look('w', [rows('first', ms)]).doubt!;
    tell(first);
    const many = Array.from({ length: 10_000 }, (_, i) => rows(`s${i}`, ms));
    const doubt = look('w', many).doubt!;
    assert.equal(doubt.keys.length, 4096);
    assert.equal(tell(doubt), doubt.text);
    assert.equal(tell(first), first.text);
  });
});

describe('rows that are further ahead of the clock than it allows', () => {
  const clock = ms * 1_000_000n;
  const limit = clock + 60_000_000_000n;
  const future = 4_102_444_800_000_000_000n;

  it('are told with the last of them, wherever they stand', () => {
    assert.equal(
      look(rows('lap-7', clock, limit + 1_000_000n, limit + 1n, limit)),
      '2 rows of the stream "lap-7" are further ahead of the service\'s clock (2026-06-01T00:00:00.000Z) than --rows-ahead ' +
        'allows: the last is of 2026-06-01T00:01:00.001Z. Alert rules and live calculated parameters leave such rows out.',
    );
    assert.match(
      look(rows('s', limit + 1n))!,
      /^A row of the stream "s" is .*: it is of 2026-06-01T00:01:00\.000Z\. /,
    );
    assert.match(look(rows('s', (1n << 63n) - 1n))!, /2262-04-11/);
    assert.equal(look(rows('s', limit, clock), rows('s', 0n), rows('s', -(1n << 63n))), undefined);
  });

  it('are told once a stream, beside times in another unit, and counted each time', () => {
    const { look, tell } = times();
    const { rows: further } = rows('a', future) as Extract<Change, { readonly type: 'rows' }>;
    const a = rows('a', ms) as Extract<Change, { readonly type: 'rows' }>;
    const both = { ...a, rows: [...a.rows, ...further] };
    const first = look('w', [both, rows('b', future, future + 1n), rows('fine', clock)]);
    assert.equal(first.ahead, 3);
    assert.match(
      tell(first.doubt!)!,
      /^The timestamp .* milliseconds.*\. A row of the stream "a" .*So it is with another stream\.$/,
    );
    assert.deepEqual(look('w', [rows('b', future)]), { doubt: undefined, ahead: 1 });
    const later = look('w', [rows('b', ms)]);
    assert.match(tell(later.doubt!)!, /milliseconds/);
    assert.equal(look('w', [rows('fine', clock)]).ahead, 0);
  });
});
