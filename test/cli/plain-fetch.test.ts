import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { createHttpRequests } from '../../src/cli/http-requests.ts';
import { plainFetch } from '../../src/cli/plain-fetch.ts';

describe('the plain fetch', async () => {
  const sockets = new Set<unknown>();
  const server = createServer(async (request, response) => {
    sockets.add(request.socket);
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk as string;
    if (request.url === '/never') return;
    if (request.url === '/gone') return void request.socket.destroy();
    if (request.url === '/empty') return void response.writeHead(204).end();
    response.writeHead(409, { 'content-type': 'application/json', 'x-two': ['a', 'b'] });
    response.end(JSON.stringify({ method: request.method, own: request.headers['x-own'], body }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const requests = createHttpRequests(new URL(base));
  const fetchIt = plainFetch(requests);
  after(() => {
    requests.close();
    server.closeAllConnections();
    server.close();
  });

  it('sends and answers as fetch does', async () => {
    const init = { method: 'PUT', headers: { 'x-own': '1' }, body: 'ü\n' };
    const of = async (response: Response) => ({
      status: response.status,
      ok: response.ok,
      type: response.headers.get('content-type'),
      two: response.headers.get('x-two'),
      body: await response.json(),
    });
    assert.deepEqual(
      await of(await fetchIt(`${base}/any`, init)),
      await of(await fetch(`${base}/any`, init)),
    );
    const empty = await fetchIt(`${base}/empty`);
    assert.deepEqual([empty.status, (await empty.arrayBuffer()).byteLength], [204, 0]);
  });

  it('keeps one connection', async () => {
    sockets.clear();
    for (let i = 0; i < 3; i++) await fetchIt(`${base}/any`);
    assert.equal(sockets.size, 1);
  });

  it('rejects as fetch does: TypeError without an answer, the reason of the signal', async () => {
    await assert.rejects(fetchIt(`${base}/gone`), TypeError);
    await assert.rejects(
      fetchIt('http://127.0.0.1:1/'),
      (error: TypeError) => error instanceof TypeError && /ECONNREFUSED/.test((error.cause as Error).message),
    );
    const ending = new AbortController();
    const reason = new Error('enough');
    const waiting = fetchIt(`${base}/never`, { signal: ending.signal });
    ending.abort(reason);
    await assert.rejects(waiting, reason);
  });
});
