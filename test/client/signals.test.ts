import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { adminToken } from '../e2e/service.ts';

describe('a call with a signal', async () => {
  const url = 'http://127.0.0.1:1';
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  after(() => {
    silent.close();
    for (const socket of sockets) socket.destroy();
  });

  it('stops with the reason of its signal', async () => {
    const controller = new AbortController();
    const client = createClient({ url, token: adminToken });
    const reading = client.streams({}, { signal: controller.signal });
    controller.abort(new Error('the page was left'));
    await assert.rejects(reading, /the page was left/);
  });

  it('stops where the token never comes, too', async () => {
    const controller = new AbortController();
    const client = createClient({ url, token: () => new Promise<string>(() => undefined) });
    const reading = client.topics({ signal: controller.signal });
    controller.abort(new Error('the page was left'));
    await assert.rejects(reading, /the page was left/);
    await assert.rejects(client.topics({ signal: controller.signal }), /the page was left/);
  });

  it('stops where the service says nothing, whatever it changes', async () => {
    const controller = new AbortController();
    const { port } = silent.address() as AddressInfo;
    const client = createClient({ url: `http://127.0.0.1:${port}`, token: adminToken });
    const options = { signal: controller.signal };
    const all = { streamIds: ['s'] };
    const calls = [
      client.createStream('cars', {}, options),
      client.updateStream('cars', 's', {}, options),
      client.closeStream('cars', 's', 'Closed', options),
      client.deleteStreams(all, options),
      client.restoreStreams(all, options),
      client.writeParameterData('cars', 's', { timestamps: [1n], numericValues: { n: [1] } }, options),
      client.writeEvents('cars', 's', [], options),
      client.defineParameters('cars', 's', [], options),
      client.defineEvents('cars', 's', [], options),
      client.defineCalculated('cars', [], options),
      client.removeCalculated('cars', 'n', options),
      client.putAlertRule('cars', 'rule', { expression: 'n > 1' }, options),
      client.removeAlertRule('cars', 'rule', options),
      client.putView('v', { name: 'v' }, options),
      client.deleteView('v', options),
      client.share('v', {}, options),
      client.revokeShares('v', undefined, options),
    ];
    controller.abort(new Error('the page was left'));
    for (const call of calls) await assert.rejects(call, /the page was left/);
  });
});
