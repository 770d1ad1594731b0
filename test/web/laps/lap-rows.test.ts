import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '../../../src/client/client.ts';
import { loadLapRows } from '../../../web/src/laps/lap-rows.ts';
import { adminToken, startService } from '../../e2e/service.ts';

const { url } = await startService();
const client = createClient({ url, token: adminToken });
const second = 1_000_000_000n;

/** Why each of five laps of 100 seconds is not whole; undefined of a whole one. By the times of their rows in each, in seconds from 0 to 99. */
async function reasonsOf(
  streamId: string,
  timesOf: (lap: number) => readonly number[],
): Promise<(string | undefined)[]> {
  const rows = [0, 1, 2, 3, 4].flatMap((lap) => timesOf(lap).map((at) => ({ lap, at: 100 * lap + at })));
  await client.writeParameterData('t', streamId, {
    timestamps: rows.map(({ at }) => BigInt(Math.round(at * 1000)) * (second / 1000n)),
    numericValues: { Lap: rows.map(({ lap }) => lap) },
    tagValues: { lap: rows.map(({ lap }) => String(lap)) },
  });
  const wish = {
    stream: { topic: 't', streamId },
    tag: 'lap',
    counted: 'Lap',
    distance: undefined,
    speed: undefined,
  };
  const laps = await loadLapRows(client, wish, new Map(), new AbortController().signal);
  for (const { isWhole, whyNotWhole } of laps) assert.equal(isWhole, whyNotWhole === undefined);
  return laps.map(({ whyNotWhole }) => whyNotWhole);
}

const evenly = (from: number, to: number, step: number) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step);

const noBegin = /nothing says that it began at the line/;
const noEnd = /no next lap ends it/;

/** That laps are not whole for such reasons; undefined: whole. */
function areNotWhole(said: readonly (string | undefined)[], expected: readonly (RegExp | undefined)[]): void {
  assert.equal(said.length, expected.length);
  for (const [i, reason] of expected.entries())
    if (reason === undefined) assert.equal(said[i], undefined);
    else assert.match(said[i] ?? '', reason);
}

describe('whether a lap is whole', () => {
  it('is told apart where its rows are lost at the line', async () => {
    const lost = (lap: number) => evenly(0, lap === 1 ? 80 : 100, 0.5);
    const said = await reasonsOf('lost', lost);
    areNotWhole(said, [
      noBegin,
      /rows are missing at the line where it ends/,
      /where it begins/,
      undefined,
      noEnd,
    ]);
  });

  it('is not in doubt where other rows are as far apart', async () => {
    // Some in quick succession, then none for a while.
    const bursts = () => evenly(0, 100, 20).flatMap((from) => evenly(from, from + 2, 0.05));
    areNotWhole(await reasonsOf('bursts', bursts), [noBegin, undefined, undefined, undefined, noEnd]);
  });
});
