import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { root } from '../root.ts';
import { launchBrowser, browserMissing as skip } from './browser.ts';
import { adminToken, send, startService } from './service.ts';

/** A page with the official client, at an origin that is not the hub's. */
async function servePage(): Promise<string> {
  const scripts = new Map(
    ['signalr', 'signalr-protocol-msgpack'].map((name) => [
      `/${name}.js`,
      readFileSync(join(root, 'node_modules/@microsoft', name, 'dist/browser', `${name}.js`)),
    ]),
  );
  const tags = [...scripts.keys()].map((path) => `<script src="${path}"></script>`).join('');
  const server = createServer((request, response) => {
    const script = scripts.get(request.url!);
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript');
    response.end(script ?? `<!doctype html><title>A page</title>${tags}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}/`;
}

/** What runs in the page: everything that it needs comes as its argument. */
const story = `async ({ url, token, transport, protocol, topic }) => {
  const { HubConnectionBuilder, HttpTransportType, JsonHubProtocol, LogLevel, protocols } = window.signalR;
  const connection = new HubConnectionBuilder()
    .withUrl(url + '/hub?int64=string', { accessTokenFactory: () => token, transport: HttpTransportType[transport] })
    .withHubProtocol(protocol === 'json' ? new JsonHubProtocol() : new protocols.msgpack.MessagePackHubProtocol())
    .configureLogging(LogLevel.None)
    .build();
  const received = [];
  const arrived = new Promise((resolve) => {
    connection.on('ParameterDataReceived', (data) => {
      received.push(...data.timestamps);
      if (received.length === 2) resolve();
    });
  });
  await connection.start();
  await connection.invoke('SubscribeToParameter', topic, '*', 'Speed');
  await connection.invoke('SendParameterData', topic, 'page', { timestamps: ['1591733989000000001'], numericValues: { Speed: [1] } });
  window.subscribed();
  await arrived;
  await connection.stop();
  return received;
}`;

describe('a page of another origin in a real browser', { skip }, () => {
  it('subscribes with a token factory and gets what it and others write, on every transport and protocol', async () => {
    const service = await startService();
    const page = await servePage();
    const browser = await launchBrowser();
    after(() => browser.close());
    const tab = await (await browser.newContext()).newPage();
    let topic = '';
    await tab.exposeFunction('subscribed', async () => {
      const body = '{"timestamps":[1591733989000000003],"numericValues":{"Speed":[2]}}';
      await send(service.url, `/topics/${topic}/streams/other/parameters/data`, { body });
    });
    await tab.goto(page);
    for (const transport of ['WebSockets', 'ServerSentEvents', 'LongPolling']) {
      for (const protocol of ['json', 'messagepack']) {
        if (transport === 'ServerSentEvents' && protocol === 'messagepack') continue;
        topic = `${transport}-${protocol}`;
        const options = { url: service.url, token: adminToken, transport, protocol, topic };
        const received = await tab.evaluate(`(${story})(${JSON.stringify(options)})`);
        assert.deepEqual(received, ['1591733989000000001', '1591733989000000003'], topic);
      }
    }
  });
});
