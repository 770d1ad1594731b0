import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { loadExtremeTimes } from '../../web/src/measure/extremes-load.ts';
import { adminToken, startService, temporaryFolder } from './service.ts';

const start = 1_800_000_000_000_000_000n;
/** More than are looked through at one time. */
const count = 12_000;
const rows = Array.from({ length: count }, (_, i) => i);

it('finds when a channel had its least and its largest value, also among many rows of one moment', async () => {
  const service = await startService({ dataDir: temporaryFolder() });
  try {
    const client = createClient({ url: service.url, token: adminToken });
    await client.writeParameterData('cars', 'run', {
      timestamps: rows.map((i) => start + BigInt(i)),
      numericValues: { Speed: rows.map((i) => (i === 11_111 ? -1 : i === 7 ? 99_999 : i)) },
    });
    await client.writeParameterData('cars', 'moment', {
      timestamps: rows.map(() => start),
      // Rows of one time come in the order of their tags: the last one has the largest value.
      numericValues: { Speed: rows },
      tagValues: { sensor: rows.map((i) => String(i).padStart(5, '0')) },
    });
    const times = async (streamId: string, least: number, largest: number) => {
      const wanted = { topic: 'cars', streamIds: [streamId] };
      const of = { rows: wanted, range: { from: start, to: start + BigInt(count) } };
      const extremes = { parameter: 'Speed', least, largest };
      const signal = AbortSignal.timeout(60_000);
      const [found] = await loadExtremeTimes(client, of, [extremes], signal);
      return [found!.leastAt, found!.largestAt];
    };
    assert.deepEqual(await times('run', -1, 99_999), [start + 11_111n, start + 7n]);
    assert.deepEqual(await times('moment', 0, count - 1), [start, start]);
  } finally {
    await service.stop();
  }
});
