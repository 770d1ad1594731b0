import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainRequestReader } from '../../../src/http/lane/plain-request.ts';
import type { Route } from '../../../src/http/route.ts';

const line = 'POST /topics/cars/streams/a-1/parameters/data HTTP/1.1';
const fields = [
  'Host: localhost:8480',
  'Authorization: Bearer secret',
  'Content-Type: application/json',
  'Content-Length: 2',
];

function chunk(lines: readonly string[], body = '{}'): Buffer {
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1');
}

describe('a plain request', () => {
  const about = { scope: 'write', summary: '', plain: true, handle: async () => ({}) } as const;
  const writing: Route = {
    ...{ ...about, method: 'POST', interface: 'writer' },
    path: '/topics/:topic/streams/:streamId/parameters/data',
  };
  const reading: Route = { ...about, method: 'POST', interface: 'query', path: '/parameters/data' };
  const involved: Route = { ...reading, path: '/streams', plain: false };
  const { read, remember } = plainRequestReader([involved, writing, reading]);

  it('is read from one whole request', () => {
    for (const extra of [
      [],
      ['Accept: */*', 'connection: Keep-Alive', 'User-Agent: curl/8 (é'.slice(0, 18)],
    ]) {
      for (let again = 0; again < 2; again++) {
        assert.deepEqual(read(chunk([line, ...fields, ...extra])), {
          route: writing,
          params: { topic: 'cars', streamId: 'a-1' },
          accept: extra.length > 0 ? '*/*' : undefined,
          authorization: 'Bearer secret',
          host: 'localhost:8480',
          body: Buffer.from('{}'),
        });
        remember();
      }
    }
  });

  it('takes header names in any case and space around values', () => {
    const spaced = fields.map((field) =>
      field.replace(/^(.*?): (.*)$/, (_, name, value) => `${name.toUpperCase()}:\t ${value}  `),
    );
    assert.equal(read(chunk([line, ...spaced]))?.authorization, 'Bearer secret');
  });

  const readLine = 'POST /parameters/data HTTP/1.1';

  it('is told apart by its address', () => {
    assert.equal(read(chunk([readLine, ...fields]))?.route, reading);
    assert.equal(read(chunk([line, ...fields, 'Accept-Encoding: gzip']))?.route, writing);
  });

  const others: Record<string, Buffer> = {
    'a route that is not marked': chunk([readLine.replace('/parameters/data', '/streams'), ...fields]),
    'a read that may be answered compressed': chunk([readLine, ...fields, 'Accept-Encoding: gzip']),
    'a condition': chunk([line, ...fields, 'If-None-Match: "a"']),
    'another method': chunk([line.replace('POST', 'PUT'), ...fields]),
    'another method that begins alike': chunk([line.replace('POST', 'POSTS'), ...fields]),
    'another address': chunk([line.replace('parameters', 'events'), ...fields]),
    'a query': chunk([line.replace('data ', 'data?a=1 '), ...fields]),
    'an escaped name': chunk([line.replace('a-1', 'a%201'), ...fields]),
    'an empty name': chunk([line.replace('a-1', ''), ...fields]),
    'HTTP/1.0': chunk([line.replace('1.1', '1.0'), ...fields]),
    'two spaces in the first line': chunk([line.replace(' /', '  /'), ...fields]),
    'no token': chunk([line, fields[0]!, ...fields.slice(2)]),
    'no host': chunk([line, ...fields.slice(1)]),
    'a host that is none': chunk([line, 'Host: local host', ...fields.slice(1)]),
    'no length': chunk([line, ...fields.slice(0, 3)]),
    'another type': chunk([line, ...fields.map((field) => field.replace('application/json', 'text/plain'))]),
    'a type with a parameter': chunk([
      line,
      ...fields.map((field) => field.replace('json', 'json; charset=utf-8')),
    ]),
    'no body': chunk([line, ...fields.map((field) => field.replace('Length: 2', 'Length: 0'))], ''),
    'a length with a sign': chunk([line, ...fields.map((field) => field.replace(': 2', ': +2'))]),
    'two lengths': chunk([line, ...fields, 'Content-Length: 2']),
    'two hosts': chunk([line, ...fields, 'host: other']),
    chunks: chunk([line, ...fields, 'Transfer-Encoding: chunked']),
    'a compressed body': chunk([line, ...fields, 'Content-Encoding: gzip']),
    'an expectation': chunk([line, ...fields, 'Expect: 100-continue']),
    'an origin': chunk([line, ...fields, 'Origin: http://example.com']),
    'an upgrade': chunk([line, ...fields, 'Connection: Upgrade', 'Upgrade: websocket']),
    'a last request': chunk([line, ...fields, 'Connection: close']),
    'a last request in the words of old proxies': chunk([line, ...fields, 'Proxy-Connection: close']),
    'a folded line': chunk([line, ...fields, ' and more']),
    'space before the colon': chunk([line, ...fields, 'Accept : */*']),
    'a bare line feed': chunk([line, ...fields, 'Accept: a\nTransfer-Encoding: chunked']),
    'a bare carriage return': chunk([line, ...fields, 'Accept: a\rb']),
    'a control character': chunk([line, ...fields, 'Accept: a\x00b']),
    'a name that is no token': chunk([line, ...fields, 'Acc(ept: a']),
    'a body that is not whole': chunk([line, ...fields], '{'),
    'a byte too many': chunk([line, ...fields], '{}\n'),
    'a head that is not whole': Buffer.from([line, ...fields].join('\r\n')),
    'a head of many bytes': chunk([line, ...fields, `Accept: ${'a'.repeat(5000)}`]),
    nothing: Buffer.alloc(0),
  };
  for (const [what, bytes] of Object.entries(others)) {
    it(`is not ${what}`, () => {
      assert.equal(read(bytes), undefined);
    });
  }
});
