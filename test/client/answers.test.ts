import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { createClient, RequestError, RowsRejected } from '../../src/client/client.ts';

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

const rows = { timestamps: [1n], numericValues: { Speed: [1] } };
const reads: readonly (() => Promise<unknown>)[] = [
  () => client.streams(),
  () => client.topics(),
  () => client.parameters(),
  () => client.events(),
  () => client.tagNames(),
  () => client.tagValues('Lap'),
  () => client.query({ numericParameters: [{ parameterName: 'Speed' }] }),
  () => client.eventData({}),
  () => client.alerts(),
  () => client.testAlertRule('cars', 'hot', { streamIds: ['a'], from: 0n, to: 1n }),
  () => client.alertRules('cars'),
  () => client.createStream('cars'),
  () => client.calculated('cars'),
  () => client.views(),
  () => client.view('a'),
  () => client.putView('a', { name: 'A' }),
  () => client.share('a'),
  () => client.shares('a'),
  () => client.revokeShares('a'),
];
const writes: readonly (() => Promise<unknown>)[] = [
  () => client.writeParameterData('cars', 'a', rows),
  () => client.writeEvents('cars', 'a', [{ id: 'pit', timestamp: 1n }]),
  () => client.updateStream('cars', 'a', {}),
  () => client.closeStream('cars', 'a'),
  () => client.defineParameters('cars', 'a', [{ id: 'Speed' }]),
  () => client.defineEvents('cars', 'a', [{ id: 'pit' }]),
  () => client.defineCalculated('cars', [{ id: 'a', expression: '1' }]),
  () => client.removeCalculated('cars', 'a'),
  () => client.putAlertRule('cars', 'hot', { expression: 'Speed > 1' }),
  () => client.removeAlertRule('cars', 'hot'),
  () => client.deleteView('a'),
  () => client.revokeShares('a', 'b'),
];

async function refused(call: () => Promise<unknown>, message: string): Promise<void> {
  await assert.rejects(call(), (error: unknown) => {
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
