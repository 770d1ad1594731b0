import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createClient } from '../../src/cli/client.ts';
import { planExport } from '../../src/cli/export-request.ts';
import { adminToken, send, startService } from '../e2e/service.ts';

it('an export of one stream asks for no other one, which nothing would tell apart from it', async () => {
  const { url } = await startService();
  const write = async (topic: string, stream: string, value: number): Promise<void> => {
    const body = JSON.stringify({ timestamps: [value], numericValues: { n: [value] } });
    const path = `/topics/${topic}/streams/${stream}/parameters/data`;
    assert.equal((await send(url, path, { body })).status, 200);
  };
  await write('t', 's', 1);
  const client = createClient({ url, token: adminToken }, {});
  const nothing = { streams: [], numeric: [], strings: [], binaries: [], calculated: [] };
  const { body } = await planExport(client, {
    ...nothing,
    topic: undefined,
    from: undefined,
    to: undefined,
    groupBy: undefined,
  });
  client.close();
  // These begin after it was looked what there is.
  await write('t', 'other', 2);
  await write('u', 's', 3);
  const { text } = await send(url, '/parameters/data', { body: JSON.stringify(body) });
  assert.deepEqual((JSON.parse(text) as { timestamps: number[] }).timestamps, [1]);
});
