import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Route } from '../../src/http/route.ts';
import { everyRoute } from '../http/every-route.ts';
import { openRawClient } from '../http/raw-client.ts';
import { adminToken, type RunningService, send, startService } from './service.ts';

/** Files that are the same for everybody: browsers may keep them. */
const isFile = ({ path, interface: of }: Route) =>
  of === 'explorer' || path === '/openapi.json' || path.startsWith('/docs');

function addressOf({ path }: Route): string {
  return path.replace(':file', 'page.js').replace(/:(\w+)/g, 'a');
}

/** Headers of an answer, as it came, by name in lower case. */
function headersOf(answer: string): Map<string, string> {
  const [, ...lines] = answer.slice(0, answer.indexOf('\r\n\r\n')).split('\r\n');
  return new Map(
    lines.map((line) => [line.split(': ', 1)[0]!.toLowerCase(), line.slice(line.indexOf(': ') + 2)]),
  );
}

function isGuarded(answer: string, what: string, mayBeKept = false): void {
  const headers = headersOf(answer);
  assert.equal(headers.get('x-content-type-options'), 'nosniff', `${what}: ${answer.slice(0, 400)}`);
  const control = headers.get('cache-control') ?? '';
  if (mayBeKept) assert.match(control, /^no-cache$|immutable/, what);
  else assert.match(control, /(^|,)no-store$/, `${what}: ${answer.slice(0, 400)}`);
}

async function raw({ url }: RunningService, ...lines: string[]): Promise<string> {
  const client = await openRawClient(url);
  client.socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  const answer = await client.answer();
  client.socket.destroy();
  return answer;
}

const host = 'Host: here';
const authorization = `Authorization: Bearer ${adminToken}`;

describe('every answer', () => {
  it('tells browsers not to guess its type, and caches not to keep what is not for everybody', async () => {
    const service = await startService({ args: ['--max-body-bytes', '1MiB'] });
    const routes = everyRoute();
    assert.ok(routes.length > 40);
    for (const route of routes) {
      const line = `${route.method} ${addressOf(route)} HTTP/1.1`;
      const body = route.body === undefined ? '' : '{"nothing": 1}';
      const head = [line, host, 'Content-Type: application/json', `Content-Length: ${body.length}`];
      const sendTo = async (more: string[]) => {
        const client = await openRawClient(service.url);
        client.socket.write(`${[...head, ...more].join('\r\n')}\r\n\r\n${body}`, 'latin1');
        const answer = await client.answer();
        client.socket.destroy();
        return answer;
      };
      // The lane takes the first where the route is plain, the framework all others.
      for (const more of [
        [authorization],
        [authorization, 'Connection: close'],
        ['Authorization: Bearer none'],
      ]) {
        const answer = await sendTo(more);
        const isRefused = !/^HTTP\/1\.1 (200|304) /.test(answer);
        isGuarded(answer, `${line} ${more}`, isFile(route) && !isRefused);
      }
      const preflight = await raw(
        service,
        `OPTIONS ${addressOf(route)} HTTP/1.1`,
        ...[host, 'Origin: http://elsewhere', `Access-Control-Request-Method: ${route.method}`],
      );
      isGuarded(preflight, `preflight of ${line}`);
    }
  });

  it('shows browsers the headers that are meant for programs', async () => {
    const service = await startService();
    const answer = await raw(service, 'GET /healthz HTTP/1.1', host, 'Origin: http://elsewhere');
    const exposed = headersOf(answer).get('access-control-expose-headers') ?? '';
    for (const name of ['Pitwall-Next-Cursor', 'Pitwall-Expired-Rows', 'Pitwall-Warning'])
      assert.ok(exposed.split(', ').includes(name), exposed);
  });

  it('of a lane that writes and reads too', async () => {
    const service = await startService();
    const body = '{"timestamps":[1],"numericValues":{"a":[1]}}';
    const client = await openRawClient(service.url);
    const post = (path: string, text: string) =>
      client.socket.write(
        `POST ${path} HTTP/1.1\r\n${host}\r\n${authorization}\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${text.length}\r\n\r\n${text}`,
      );
    post('/topics/t/streams/s/parameters/data', body);
    const written = await client.answer();
    assert.match(written, /^HTTP\/1\.1 200 /);
    isGuarded(written, 'a write');
    post('/parameters/data', '{"numericParameters":[{"parameterName":"a"}]}');
    const read = await client.answer();
    assert.match(read, /\[1\]/);
    isGuarded(read, 'a query');
    client.socket.destroy();
  });

  it('of a file that the client has already', async () => {
    const service = await startService();
    for (const path of ['/', '/docs', '/docs/page.js', '/openapi.json']) {
      const etag = headersOf(await raw(service, `GET ${path} HTTP/1.1`, host)).get('etag')!;
      const again = await raw(service, `GET ${path} HTTP/1.1`, host, `If-None-Match: ${etag}`);
      assert.match(again, /^HTTP\/1\.1 304 /);
      isGuarded(again, path, true);
      const asked = await openRawClient(service.url);
      asked.socket.write(`HEAD ${path} HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`);
      isGuarded(await asked.rest(), path, true);
    }
  });

  it('that refuses what is no request for a route', async () => {
    const service = await startService();
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket'];
    for (const lines of [
      ['GET /nowhere HTTP/1.1', host],
      ['GET /docs/nowhere HTTP/1.1', host],
      ['PATCH /streams HTTP/1.1', host, authorization],
      [`GET /${'x'.repeat(9000)} HTTP/1.1`, host],
      ['GET /healthz HTTP/1.1'],
      ['GET /healthz HTTP/1.1', host, host],
      ['GET /healthz HTTP/1.1', host, 'no header'],
      ['CONNECT elsewhere:443 HTTP/1.1', host],
      ['GET /hub HTTP/1.1', host, ...upgrade],
      ['GET /hub HTTP/1.1', host, ...upgrade, 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: none'],
      ['GET /hub HTTP/1.1', host, authorization, ...upgrade, 'Sec-WebSocket-Version: 7'],
      ['POST /streams HTTP/1.1', host, authorization, 'Content-Type: text/plain', 'Content-Length: 0'],
      ['POST /write HTTP/1.1', host, 'Content-Length: 0'],
      ['POST /hub/negotiate HTTP/1.1', host, 'Content-Length: 0'],
      ['GET /hub/negotiate HTTP/1.1', host],
      ['OPTIONS /hub/negotiate HTTP/1.1', host, 'Origin: http://elsewhere'],
      ['DELETE /hub?id=none HTTP/1.1', host, authorization],
      ['GET /hub?id=none HTTP/1.1', host, authorization],
    ]) {
      isGuarded(await raw(service, ...lines), lines.join(' | ').slice(0, 100));
    }
  });

  it('of the hub', async () => {
    const { url } = await startService();
    const guarded = (
      answer: { headers: Readonly<Record<string, string | string[] | undefined>> },
      what: string,
    ) => {
      assert.equal(answer.headers['x-content-type-options'], 'nosniff', what);
      assert.match(String(answer.headers['cache-control']), /no-store/, what);
    };
    const negotiated = await send(url, '/hub/negotiate?negotiateVersion=1', { body: '' });
    guarded(negotiated, 'negotiate');
    const { connectionToken: id } = negotiated.json<{ connectionToken: string }>();
    guarded(await send(url, `/hub?id=${id}`), 'the first poll');
    guarded(await send(url, `/hub?id=${id}`, { body: '{"protocol":"json","version":1}\u001e' }), 'a message');
    guarded(await send(url, `/hub?id=${id}`, { method: 'DELETE' }), 'the end');
  });
});
