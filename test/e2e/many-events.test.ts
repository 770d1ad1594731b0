import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { loadEvents } from '../../web/src/plots/event-load.ts';
import { adminToken, startService } from './service.ts';

/** More kinds of events, and moments of each, than there may be marks. */
const kinds = 30;
const moments = 100;
const second = 1_000_000_000n;

it('marks of very many events stand over all of a range, and count every one', async () => {
  const service = await startService();
  const client = createClient({ url: service.url, token: adminToken });
  const start = 1_700_000_000n * second;
  const events = Array.from({ length: kinds * moments }, (_, i) => ({
    id: `kind-${i % kinds}`,
    timestamp: start + BigInt(Math.floor(i / kinds)) * second,
    value: '',
  }));
  await client.writeEvents('cars', 'lap-7', events);
  const range = { from: start, to: start + BigInt(moments - 1) * second };
  const streams = [{ topic: 'cars', streamId: 'lap-7' }];
  const marks = await loadEvents(client, streams, range, 1200, new AbortController().signal);
  await service.stop();
  const counts = marks.map(({ label }) => Number(/ × (\d+)$/.exec(label)![1]));
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    kinds * moments,
  );
  assert.ok(marks.length <= 1000, `${marks.length} marks`);
  assert.ok(marks.at(-1)!.time > start + BigInt(moments - 10) * second);
});
