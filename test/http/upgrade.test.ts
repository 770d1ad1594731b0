import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { createTurns } from '../../src/http/turns.ts';
import { offerUpgrades, wasDeclined } from '../../src/http/upgrade.ts';

const server = createServer((request: IncomingMessage, response) => {
  if (wasDeclined(request)) response.shouldKeepAlive = false;
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    response.end(JSON.stringify([request.method, request.url, String(Buffer.concat(chunks))]));
  });
});
offerUpgrades(server, createTurns(), ({ headers }, socket) => {
  if (headers.upgrade !== 'WebSocket') return false;
  socket.end('taken');
  return true;
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => server.close());

const offer = 'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n';

/** Sends the parts one by one, and gives back everything that comes until the connection ends. */
async function talk(...parts: string[]): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  for (const part of parts) socket.write(part);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

describe('an upgrade', () => {
  it('goes to who takes it', async () => {
    assert.equal(
      await talk('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\r\n'),
      'taken',
    );
  });

  it('that nobody takes is the plain request that it is, its body too, however it comes', async () => {
    const head = `POST /a?b HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\n${offer}Content-Length: 9\r\n\r\n`;
    for (const parts of [[`${head}some body`], [`${head}some `, 'body'], [head, 'some body']]) {
      const text = await talk(...parts);
      assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
      assert.deepEqual(JSON.parse(text.split('\r\n\r\n')[1]!), ['POST', '/a?b', 'some body']);
    }
  });

  it('that nobody takes is the last request of its connection', async () => {
    const text = await talk(
      `GET /1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\n${offer}\r\n`,
    );
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nconnection: close\r\n[\s\S]*"\/1"/i);
  });
});
