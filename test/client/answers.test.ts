import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { type Client, createClient, RequestError, RowsRejected } from '../../src/client/client.ts';
import { adminToken, startService } from '../e2e/service.ts';

let body = '';
/** A server that says the same to everyone, with success. */
const other = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'Content-Type': 'text/html' }).end(body);
});
other.listen(0, '127.0.0.1');
await once(other, 'listening');
after(() => {
  other.closeAllConnections();
  other.close();
});
const { port } = other.address() as AddressInfo;
const client = createClient({ url: `http://127.0.0.1:${port}`, token: 'x' });
const service = await startService();

const rows = { timestamps: [1n], numericValues: { Speed: [1] } };
const reads: readonly ((client: Client) => Promise<unknown>)[] = [
  (client) => client.streams(),
  (client) => client.topics(),
  (client) => client.parameters(),
  (client) => client.events(),
  (client) => client.tagNames(),
  (client) => client.tagValues('Lap'),
  (client) => client.query({ numericParameters: [{ parameterName: 'Speed' }] }),
  (client) => client.eventData({}),
  (client) => client.alerts(),
  (client) => client.testAlertRule('cars', 'hot', { streamIds: ['a'], from: 0n, to: 1n }),
  (client) => client.alertRules('cars'),
  (client) => client.createStream('cars'),
  (client) => client.putAlertRule('cars', 'hot', { expression: 'Speed > 1' }),
  (client) => client.calculated('cars'),
  (client) => client.views(),
  (client) => client.view('a'),
  (client) => client.putView('a', { name: 'A', topic: 'cars', streamIds: ['a'] }),
  (client) => client.share('a'),
  (client) => client.shares('a'),
  (client) => client.revokeShares('a'),
];
const writes: readonly ((client: Client) => Promise<unknown>)[] = [
  (client) => client.writeParameterData('cars', 'a', rows),
  (client) => client.writeEvents('cars', 'a', [{ id: 'pit', timestamp: 1n }]),
  (client) => client.updateStream('cars', 'a', {}),
  (client) => client.closeStream('cars', 'a'),
  (client) => client.defineParameters('cars', 'a', [{ id: 'Speed' }]),
  (client) => client.defineEvents('cars', 'a', [{ id: 'pit' }]),
  (client) => client.defineCalculated('cars', [{ id: 'Half', expression: 'Speed / 2' }]),
  (client) => client.removeCalculated('cars', 'Half'),
  (client) => client.removeAlertRule('cars', 'hot'),
  (client) => client.deleteView('a'),
  (client) => client.revokeShares('a', 'b'),
];

async function refused(call: (client: Client) => Promise<unknown>, message: string): Promise<void> {
  await assert.rejects(call(client), (error: unknown) => {
    assert.ok(error instanceof RequestError, `${call}: ${error}`);
    assert.deepEqual([error.status, error.code, error.message], [200, '', message], String(call));
    return true;
  });
}

describe('the client at a server that is not Pitwall', () => {
  it('takes no page for an answer', async () => {
    body = '<!DOCTYPE html>\n<h1>Sign in</h1>';
    const message = 'what answers is not Pitwall: it says <!DOCTYPE html> <h1>Sign in</h1>';
    for (const call of [...reads, ...writes]) await refused(call, message);
  });

  it('takes no other JSON for one', async () => {
    for (const text of ['{"ok":true}', 'null', '1']) {
      body = text;
      for (const call of [...reads, ...writes])
        await refused(call, `what answers is not Pitwall: it says ${text}`);
    }
  });

  it('does not take nothing for what it reads', async () => {
    body = '';
    for (const call of reads) await refused(call, 'what answers is not Pitwall: it says nothing');
  });

  it('takes what the service answers', async () => {
    const own = createClient({ url: service.url, token: adminToken });
    await own.writeParameterData('cars', 'a', rows);
    await own.putView('a', { name: 'A' });
    await own.putAlertRule('cars', 'hot', { expression: 'Speed > 1' });
    for (const call of reads) await call(own);
    const kept = writes.filter((call) => !/deleteView|revokeShares/.test(String(call)));
    for (const call of kept) await call(own);
    await own.revokeShares('a', (await own.share('a')).id);
    await own.deleteView('a');
  });

  it('says of rows that a writer sends that they are not written', async () => {
    body = 'welcome';
    const writer = client.writer('cars');
    await writer.write('a', { timestamp: 1n, numeric: { Speed: 1 } });
    await assert.rejects(writer.close(), (error: unknown) => {
      assert.ok(error instanceof RowsRejected);
      assert.match(error.message, /1 row\(s\): what answers is not Pitwall: it says welcome$/);
      return true;
    });
  });
});
