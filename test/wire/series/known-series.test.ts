import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { message } from '../../../src/protobuf/wire-writer.ts';
import { KnownSeries } from '../../../src/wire/series/known-series.ts';
import { write1 } from '../remote-write-messages.ts';
import { labels, read, rules, told } from './read-remote-write.ts';

describe('known series', () => {
  const at = 1_700_000_000_000;
  const cells = (body: Buffer, given = rules()) =>
    told(body, 1, given).flatMap(({ place, rows }) =>
      rows.map(([time, tags, values]) => `${place} ${time} ${tags} ${JSON.stringify(values)}`),
    );
  /** What is read of the second body once the first was read, and without. */
  const both = (first: Buffer, second: Buffer) => {
    const given = rules();
    told(first, 1, given);
    return [cells(second, given), cells(second)];
  };

  it('reads the same as of unknown ones, whatever their samples are', () => {
    const body = write1(
      [0, 1, 2].flatMap((i) =>
        ['up', 'down'].map((name) => ({
          labels: { ...labels, __name__: `${name}${'x'.repeat(90 * i)}`, zone: `z${i}` },
          samples: [at, at + 1, 5, 2 ** 42, -1, 9_223_372_036_854].map((ms, n): [number, number] => [
            ms,
            n === 1 ? 0 : n / 4,
          ]),
        })),
      ),
    );
    const [known, unknown] = both(body, body);
    assert.deepEqual(known, unknown);
    assert.equal(known!.length, 3 * 5);
  });

  it('goes by all bytes of the labels: their order, their values, one more and one less', () => {
    const of = (more: Record<string, string>) =>
      write1([{ labels: more as typeof labels, samples: [[at, 1]] }]);
    const first = of({ ...labels, zone: 'west', host: 'a' });
    for (const second of [
      of({ host: 'a', zone: 'west', ...labels }),
      of({ ...labels, zone: 'east', host: 'a' }),
      of({ ...labels, zone: 'west', host: 'b' }),
      of({ ...labels, zone: 'west' }),
      of({ ...labels, zone: 'west', host: 'a', more: '1' }),
      of({ ...labels, zone: 'west', host: '' }),
    ]) {
      const [known, unknown] = both(first, second);
      assert.deepEqual(known, unknown);
    }
  });

  it('joins series whose labels stand in another order, where the later values count', () => {
    const one = { labels: { ...labels, zone: 'a' }, samples: [[at, 1]] as [number, number][] };
    const other = {
      labels: { zone: 'a', instance: 'a:1', job: 'node', __name__: 'up' },
      samples: [[at, 2]] as [number, number][],
    };
    const body = write1([one, other, one, other]);
    const [known, unknown] = both(body, body);
    assert.deepEqual(known, unknown);
    assert.match(known!.at(-1)!, /"0:up":2/);
  });

  it('refuses labels that stand twice again and again, and keeps nothing of them', () => {
    const label = (name: string, value: string) =>
      message([
        [1, name],
        [2, value],
      ]);
    const series = message([
      [1, label('__name__', 'up')],
      [1, label('zone', 'a')],
      [1, label('zone', 'b')],
      [2, Buffer.from([9, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f])],
    ]);
    const body = message([[1, series]]);
    const given = rules();
    for (let i = 0; i < 3; i++) assert.equal(read(body, 1, given).refused.total, 1);
  });

  it('are told apart where all hashes are the same, and where few are kept', () => {
    const all = Array.from({ length: 200 }, (_, i) => ({
      labels: { ...labels, __name__: `m${i % 9}`, instance: `i${i % 11}`, zone: `z${i}` },
      samples: [[at, i]] as [number, number][],
    }));
    const body = write1(all);
    const shuffled = write1(all.toReversed());
    for (const known of [new KnownSeries(undefined, () => 1), new KnownSeries(20_000)]) {
      const given = { ...rules(), known };
      for (let i = 0; i < 3; i++) {
        assert.deepEqual(cells(body, given), cells(body));
        assert.deepEqual(cells(shuffled, given), cells(shuffled));
      }
    }
  });
});
