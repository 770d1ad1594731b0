import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '../../../src/client/client.ts';
import { loadByLap } from '../../../web/src/laps/by-lap.ts';
import { loadLapRows } from '../../../web/src/laps/lap-rows.ts';
import { byLap, lapSelection } from '../../../web/src/laps/lap-selection.ts';
import { turnsOf } from '../../../web/src/laps/tag-turns.ts';
import { adminToken, startService } from '../../e2e/service.ts';

const { url } = await startService();
const client = createClient({ url, token: adminToken });
const second = 1_000_000_000n;
const { signal } = new AbortController();

/** Laps of 100 seconds, one row a second, in sessions that begin an hour apart; between them rows of no lap. */
async function lapsOf(streamId: string, sessions: readonly (readonly string[])[]) {
  const rows = sessions.flatMap((laps, session) => [
    ...laps.flatMap((lap, i) =>
      Array.from({ length: 100 }, (_, at) => ({ time: 3600 * session + 100 * i + at, session, lap })),
    ),
    { time: 3600 * session + 2000, session, lap: null },
  ]);
  await client.writeParameterData('t', streamId, {
    timestamps: rows.map(({ time }) => BigInt(time) * second),
    numericValues: { Speed: rows.map(({ session }) => 100 + session) },
    tagValues: { lap: rows.map(({ lap }) => lap) },
  });
  const stream = { topic: 't', streamId };
  const wish = { stream, tag: 'lap', counted: 'Speed', distance: undefined, speed: 'Speed' };
  const laps = await loadLapRows(client, wish, new Map(), signal);
  return { stream, laps };
}

describe('laps of a tag of which a value comes again', () => {
  const source = { kind: 'tag', name: 'lap' } as const;

  it('are laps of their own, each with its rows', async () => {
    const { stream, laps } = await lapsOf('sessions', [
      ['1', '2', '3'],
      ['1', '2', '3', 'in'],
    ]);
    assert.deepEqual(
      laps.map(({ value, start, end, topSpeed }) => [value, start / second, end / second, topSpeed]),
      [
        ['1', 0n, 100n, 100],
        ['2', 100n, 200n, 100],
        ['3', 200n, 299n, 100], // Without the silence behind it.
        ['1 (2)', 3600n, 3700n, 101],
        ['2 (2)', 3700n, 3800n, 101],
        ['3 (2)', 3800n, 3900n, 101],
        ['in', 3900n, 5600n, 101],
      ],
    );
    assert.deepEqual(
      laps.map(({ isWhole }) => isWhole),
      [false, true, false, false, true, true, false],
    );
    assert.match(laps[2]!.whyNotWhole!, /laps go from 3 to 1 where it ends/);
    assert.match(laps[3]!.whyNotWhole!, /laps go from 3 to 1 where it begins/);
    const select = lapSelection(source, laps);
    for (const { value, topSpeed } of laps) {
      const { rows, within } = select({ stream, value })!;
      const numericParameters = [{ parameterName: 'Speed' }];
      const { numericValues } = await client.query({ ...rows, ...within, numericParameters });
      assert.deepEqual(new Set(numericValues['Speed']), new Set([topSpeed]), value);
      assert.equal(numericValues['Speed']!.length, 100);
    }
    const columns = { numericParameters: [{ parameterName: 'Speed', aggregationType: 'Sum' as const }] };
    const sums = await loadByLap(client, stream, byLap(source, laps), columns, signal);
    assert.deepEqual(
      sums.map(({ lap, numberOf }) => [lap, numberOf('sum(Speed)')]),
      laps.map(({ value, topSpeed }) => [value, topSpeed! * 100]),
    );
  });

  it('are called so that no value of the tag is called the same', async () => {
    const { laps } = await lapsOf('names', [['1', '1 (2)', '2'], ['1']]);
    assert.deepEqual(
      laps.map(({ value }) => value),
      ['1', '1 (2)', '2', '1 (3)'],
    );
  });

  it('stay as they are where each value has one turn', async () => {
    const { laps } = await lapsOf('one', [
      ['1', '2', '3'],
      ['4', '5'],
    ]);
    assert.deepEqual(
      laps.map(({ value, range }) => [value, range]),
      ['1', '2', '3', '4', '5'].map((value) => [value, undefined]),
    );
    assert.deepEqual(byLap(source, laps), { tag: 'lap' });
  });

  it('stay as they are where a tag changes too often to count laps', async () => {
    const changing = (turns: number) => Array.from({ length: turns }, (_, i) => String(1 + (i % 2)));
    const { laps: most } = await lapsOf('most', [changing(300)]);
    assert.equal(most.length, 300);
    const { laps } = await lapsOf('often', [changing(301)]);
    assert.deepEqual(
      laps.map(({ value, range }) => [value, range]),
      [
        ['1', undefined],
        ['2', undefined],
      ],
    );
  });

  it('do not part where rows of two laps lie between each other at the line', () => {
    const rows = ([['1'], ['1', '2'], ['2', '1'], ['2'], [null], ['2']] as const).flatMap((values, i) =>
      values.map((value) => ({ time: BigInt(i), value })),
    );
    assert.deepEqual(turnsOf(rows), [
      { value: '1', from: 0n, last: 2n },
      { value: '2', from: 1n, last: 5n },
    ]);
  });
});
