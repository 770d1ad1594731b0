import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import type { ClockState } from '../../src/store/embedded/deletes/believed-clock.ts';
import { openManifest } from '../../src/store/embedded/manifest/open-manifest.ts';
import { argsOf, copy, must } from './copy-world.ts';
import { startService, temporaryFolder } from './service.ts';

const dayMs = 86_400_000;

it('tells how many rows and events a copy of an old folder has that are expired in the target', async () => {
  const dataDir = temporaryFolder();
  await (await startService({ dataDir })).stop();
  const manifest = await openManifest(join(dataDir, 'catalog'));
  // The folder knows no later time: nothing expires in it.
  const state: ClockState = { proven: Date.now() - 700 * dayMs };
  await manifest.commit([{ table: 'meta', key: 'clock', value: state }]);
  await manifest.close();
  const source = await startService({ dataDir });
  const target = await startService();
  const stream = '/topics/t/streams/s';
  await must(source, 'PUT', '/topics/t', { retention: '400d' });
  const timestamps = [500, 499, 0].map((days) => (Date.now() - days * dayMs) * 1e6);
  await must(source, 'POST', `${stream}/parameters/data`, { timestamps, numericValues: { n: [1, 2, 3] } });
  const events = timestamps.map((timestamp) => ({ id: 'e', timestamp }));
  await must(source, 'POST', `${stream}/events/data`, events);
  const told = await copy(argsOf(source.url, target));
  assert.match(told, /, 3 rows, 3 events, /);
  assert.match(
    told,
    /^4 of them are older than the retention of their topic in the target, and were not kept$/m,
  );
});
