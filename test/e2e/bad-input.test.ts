import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { openRawClient } from '../http/raw-client.ts';
import { until } from '../until.ts';
import { adminToken, type Sent, send, startService } from './service.ts';

const limits = [
  '--max-body-bytes=64KiB',
  '--max-in-flight-bytes=64KiB',
  '--max-parameters=3',
  '--max-tags=2',
];
const more = ['--max-timestamps=5', '--max-string-bytes=8', '--max-binary-bytes=4', '--max-name-bytes=32'];
const service = await startService({ args: [...limits, ...more] });
const { url } = service;

interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly code: string;
  readonly errors?: { readonly path: string; readonly message: string }[];
  readonly requestId: string;
}

interface Case extends Sent {
  readonly what: string;
  readonly path?: string;
  readonly status?: number;
  readonly code: string;
  /** The place that the problem names. */
  readonly at?: string;
  readonly says?: RegExp;
}

const data = '/topics/t/streams/s/parameters/data';
const json = (text: string): Sent => ({ body: text });
const rows = (text: string): Sent => json(`{"timestamps":[1,2,3],${text}}`);
const big = `{"timestamps":[1],"stringValues":{"a":["${'x'.repeat(70_000)}"]}}`;

const cases: Case[] = [
  // Media types and encodings.
  {
    what: 'no Content-Type',
    body: '{"timestamps":[1]}',
    headers: { 'content-type': undefined },
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    what: 'text/plain',
    body: '{"timestamps":[1]}',
    headers: { 'content-type': 'text/plain' },
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    what: 'a Content-Type that cannot be read',
    body: '{"timestamps":[1]}',
    headers: { 'content-type': 'nonsense' },
    status: 415,
    code: 'unsupported_media_type',
    says: /^a body must be application\/json, not nonsense$/,
  },
  {
    what: 'a Content-Type with a broken parameter',
    body: '{"timestamps":[1]}',
    headers: { 'content-type': 'text/"; charset' },
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    what: 'a form',
    body: 'a=b',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    what: 'a type that only begins like JSON',
    body: '{}',
    headers: { 'content-type': 'application/jsonp' },
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    what: 'a malformed type',
    body: '{}',
    headers: { 'content-type': 'json' },
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    what: 'an unknown encoding',
    body: '{}',
    headers: { 'content-encoding': 'zstd' },
    status: 415,
    code: 'unsupported_media_type',
    says: /not zstd/,
  },
  {
    what: 'bytes that are not gzip',
    body: 'plain',
    headers: { 'content-encoding': 'gzip' },
    code: 'bad_encoding',
  },
  {
    what: 'gzip that is cut off',
    body: gzipSync('{"timestamps":[1]}').subarray(0, 20),
    headers: { 'content-encoding': 'gzip' },
    code: 'bad_encoding',
  },
  {
    what: 'bytes that are not brotli',
    body: 'plain',
    headers: { 'content-encoding': 'br' },
    code: 'bad_encoding',
  },

  ...(
    [
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
    ] as const
  ).map(([encoding, compress]) => ({
    what: `${encoding} with bytes after its end`,
    body: Buffer.concat([compress('{"timestamps":[1]}'), Buffer.from('more')]),
    headers: { 'content-encoding': encoding },
    code: 'bad_encoding',
  })),

  // Who asks.
  { what: 'no token', ...json('{"timestamps":[1]}'), token: null, status: 401, code: 'unauthorized' },
  {
    what: 'an unknown token',
    ...json('{"timestamps":[1]}'),
    token: 'pw_unknown',
    status: 401,
    code: 'unauthorized',
  },
  {
    what: 'another scheme',
    ...json('{"timestamps":[1]}'),
    headers: { authorization: 'Basic dTpw' },
    status: 401,
    code: 'unauthorized',
  },

  // JSON.
  { what: 'an empty body', ...json(''), code: 'bad_json' },
  { what: 'truncated JSON', ...json('{"timestamps":[1,'), code: 'bad_json' },
  { what: 'malformed JSON', ...json('{timestamps:[1]}'), code: 'bad_json' },
  { what: 'text behind the end', ...json('{"timestamps":[1]} {}'), code: 'bad_json' },
  { what: 'a trailing comma', ...json('{"timestamps":[1,]}'), code: 'bad_json' },
  {
    what: 'a number with a leading zero',
    ...json('{"timestamps":[1],"numericValues":{"a":[01]}}'),
    code: 'bad_json',
  },
  { what: 'NaN without quotes', ...json('{"timestamps":[1],"numericValues":{"a":[NaN]}}'), code: 'bad_json' },
  {
    what: 'a control character in a string',
    ...json('{"timestamps":[1],"stringValues":{"a":["\n"]}}'),
    code: 'bad_json',
  },
  {
    what: 'invalid UTF-8',
    body: Buffer.from('{"timestamps":[1],"stringValues":{"a":["\xff"]}}', 'latin1'),
    code: 'bad_utf8',
  },
  {
    what: 'nesting without end',
    path: '/streams',
    ...json(`{"metadata":${'['.repeat(100)}`),
    code: 'too_deep',
  },

  // Properties.
  {
    what: 'an unknown property',
    ...json('{"timestamp":[1]}'),
    code: 'unknown_property',
    says: /"timestamp".*nearest known one is "timestamps"/,
  },
  { what: 'a property twice', ...json('{"timestamps":[1],"timestamps":[1]}'), code: 'duplicate_property' },
  {
    what: 'a property in both spellings',
    ...json('{"timestamps":[1],"Timestamps":[1]}'),
    code: 'duplicate_property',
  },
  {
    what: 'a parameter twice',
    ...rows('"numericValues":{"a":[1,2,3],"a":[1,2,3]}'),
    code: 'duplicate_property',
  },
  {
    what: 'no timestamps',
    ...json('{"numericValues":{"a":[1]}}'),
    code: 'missing_property',
    at: 'timestamps',
  },

  // Shapes and types.
  { what: 'an array for the payload', ...json('[]'), code: 'wrong_type', at: '' },
  {
    what: 'too few values',
    ...rows('"numericValues":{"Speed":[1,2]}'),
    code: 'length_mismatch',
    at: 'numericValues.Speed',
    says: /2 elements, timestamps has 3/,
  },
  {
    what: 'too many values',
    ...rows('"stringValues":{"Note":["a","b","c","d"]}'),
    code: 'length_mismatch',
    at: 'stringValues.Note',
    says: /4 elements, timestamps has 3/,
  },
  {
    what: 'too few tags',
    ...rows('"tagValues":{"Lap":[]}'),
    code: 'length_mismatch',
    at: 'tagValues.Lap',
    says: /0 elements, timestamps has 3/,
  },
  {
    what: 'a string among numbers',
    ...rows('"numericValues":{"Speed":[1,"2",3]}'),
    code: 'wrong_type',
    at: 'numericValues.Speed[1]',
  },
  {
    what: 'a number among strings',
    ...rows('"stringValues":{"Note":["a","b",3]}'),
    code: 'wrong_type',
    at: 'stringValues.Note[2]',
  },
  {
    what: 'true for a tag',
    ...rows('"tagValues":{"Lap":[true,"1","1"]}'),
    code: 'wrong_type',
    at: 'tagValues.Lap[0]',
  },
  {
    what: 'a value for an array',
    ...rows('"numericValues":{"Speed":1}'),
    code: 'wrong_type',
    at: 'numericValues.Speed',
  },
  { what: 'an array for a map', ...rows('"numericValues":[1,2,3]'), code: 'wrong_type', at: 'numericValues' },
  {
    what: 'a number beyond double',
    ...rows('"numericValues":{"Speed":[1,2,1e400]}'),
    code: 'invalid_value',
    at: 'numericValues.Speed[2]',
  },

  // Timestamps.
  {
    what: 'a timestamp with a fraction',
    ...json('{"timestamps":[1,2.5]}'),
    code: 'bad_timestamp',
    at: 'timestamps[1]',
  },
  {
    what: 'a timestamp beyond 64 bits',
    ...json('{"timestamps":[9223372036854775808]}'),
    code: 'bad_timestamp',
    at: 'timestamps[0]',
  },
  {
    what: 'a timestamp beyond 64 bits below',
    ...json('{"timestamps":["-9223372036854775809"]}'),
    code: 'bad_timestamp',
    at: 'timestamps[0]',
  },
  {
    what: 'a timestamp beyond 64 bits after adding epoch',
    ...json('{"epoch":1,"timestamps":[9223372036854775807]}'),
    code: 'bad_timestamp',
    at: 'timestamps[0]',
  },
  {
    what: 'a date for a timestamp',
    ...json('{"timestamps":["2021-01-01"]}'),
    code: 'bad_timestamp',
    at: 'timestamps[0]',
  },
  {
    what: 'null for a timestamp',
    ...json('{"timestamps":[null]}'),
    at: 'timestamps[0]',
    code: 'bad_timestamp',
  },
  {
    what: 'an epoch with a fraction',
    ...json('{"epoch":0.5,"timestamps":[1]}'),
    code: 'bad_timestamp',
    at: 'epoch',
  },

  // Binaries.
  {
    what: 'bad base64',
    ...rows('"binaryValues":{"Blob":["AAAA","A*AA",null]}'),
    code: 'bad_base64',
    at: 'binaryValues.Blob[1]',
  },
  {
    what: 'base64 of an impossible length',
    ...rows('"binaryValues":{"Blob":["A",null,null]}'),
    code: 'bad_base64',
    at: 'binaryValues.Blob[0]',
  },

  // Limits.
  {
    what: 'too many parameters',
    ...json('{"timestamps":[1],"numericValues":{"a":[1],"b":[1]},"stringValues":{"c":["x"],"d":["x"]}}'),
    code: 'too_many_parameters',
  },
  {
    what: 'too many tags',
    ...json('{"timestamps":[1],"tagValues":{"a":["1"],"b":["1"],"c":["1"]}}'),
    code: 'too_many_tags',
  },
  { what: 'too many timestamps', ...json('{"timestamps":[1,2,3,4,5,6]}'), code: 'too_many_timestamps' },
  {
    what: 'a string that is too long',
    ...json('{"timestamps":[1],"stringValues":{"a":["123456789"]}}'),
    code: 'string_too_long',
    at: 'stringValues.a[0]',
  },
  {
    what: 'a binary that is too long',
    ...json('{"timestamps":[1],"binaryValues":{"a":["AAAAAAA="]}}'),
    code: 'binary_too_long',
    at: 'binaryValues.a[0]',
  },
  {
    what: 'a parameter name that is too long',
    ...json(`{"timestamps":[1],"numericValues":{"${'n'.repeat(33)}":[1]}}`),
    code: 'bad_name',
  },
  {
    what: 'an empty parameter name',
    ...json('{"timestamps":[1],"numericValues":{"":[1]}}'),
    code: 'bad_name',
  },
  {
    what: 'a control character in a tag name',
    ...json('{"timestamps":[1],"tagValues":{"a\\u0007":["1"]}}'),
    code: 'bad_name',
  },
  {
    what: 'a stream id that is too long',
    path: `/topics/t/streams/${'s'.repeat(33)}/parameters/data`,
    ...json('{"timestamps":[1]}'),
    code: 'bad_name',
    at: 'streamId',
  },
  {
    what: 'a topic with a control character',
    path: '/topics/t%07/streams/s/parameters/data',
    ...json('{"timestamps":[1]}'),
    code: 'bad_name',
    at: 'topic',
  },
  { what: 'a body that is too large', ...json(big), status: 413, code: 'body_too_large' },
  {
    what: 'a body that is too large once it is decompressed',
    body: gzipSync(big),
    headers: { 'content-encoding': 'gzip' },
    status: 413,
    code: 'body_too_large',
  },
  {
    what: 'a deflated body that is too large',
    body: deflateSync(big),
    headers: { 'content-encoding': 'deflate' },
    status: 413,
    code: 'body_too_large',
  },
  {
    what: 'a body that is too large, of unknown length',
    ...json(big),
    headers: { 'transfer-encoding': 'chunked' },
    status: 413,
    code: 'body_too_large',
  },

  // Addresses and methods.
  { what: 'an unknown route', path: '/nowhere', ...json('{}'), status: 404, code: 'not_found' },
  {
    what: 'an unknown route without a token',
    path: '/nowhere',
    method: 'GET',
    token: null,
    status: 404,
    code: 'not_found',
  },
  {
    what: 'an address that is too long',
    path: `/streams?${'x'.repeat(9000)}`,
    method: 'POST',
    status: 414,
    code: 'address_too_long',
  },
  {
    what: 'an address that is far too long',
    path: `/streams/${'x'.repeat(200_000)}`,
    method: 'POST',
    status: 414,
    code: 'address_too_long',
  },
  {
    what: 'headers that are too large',
    path: '/streams',
    method: 'POST',
    headers: { 'x-long': 'x'.repeat(60_000), 'x-longer': 'y'.repeat(80_000) },
    status: 431,
    code: 'headers_too_large',
  },
  { what: 'broken percent encoding', path: '/topics/%E0%A4%A/streams', method: 'POST', code: 'bad_request' },

  // Batches and streams.
  {
    what: 'a batch without an id',
    path: '/topics/t/parameters/data',
    ...json('[{"streamId":"a","timestamps":[1]},{"timestamps":[1]}]'),
    code: 'missing_property',
    at: '[1].streamId',
  },
  {
    what: 'a batch with one bad entry',
    path: '/topics/t/parameters/data',
    ...json('[{"streamId":"a","timestamps":[1]},{"streamId":"b","timestamps":[1],"numericValues":{"x":[]}}]'),
    code: 'length_mismatch',
    at: '[1].numericValues.x',
  },
  {
    what: 'wrong metadata',
    path: '/topics/t/streams',
    ...json('{"metadata":{"a":1}}'),
    code: 'wrong_type',
    at: 'metadata.a',
  },
  {
    what: 'a wrong end type',
    path: '/topics/t/streams/s/close',
    ...json('{"endType":"Finished"}'),
    code: 'invalid_value',
    at: 'endType',
  },
  {
    what: 'closing a stream that is not there',
    path: '/topics/t/streams/s/close',
    method: 'POST',
    status: 404,
    code: 'stream_not_found',
  },

  // Queries.
  {
    what: 'a filter with a typing error',
    path: '/streams',
    ...json('{"streamId":["a"]}'),
    code: 'unknown_property',
    says: /streamIds/,
  },
  {
    what: 'an unknown status',
    path: '/streams',
    ...json('{"includeStatuses":["Opened"]}'),
    code: 'invalid_value',
    at: 'includeStatuses[0]',
  },
  {
    what: 'text for a list',
    path: '/streams',
    ...json('{"streamIds":"a"}'),
    code: 'wrong_type',
    at: 'streamIds',
  },
  { what: 'no parameter', path: '/parameters/data', ...json('{}'), code: 'missing_property' },
  {
    what: 'a limit of nothing',
    path: '/parameters/data',
    ...json('{"numericParameters":[{"parameterName":"a"}],"limit":0}'),
    code: 'invalid_value',
    at: 'limit',
  },
  {
    what: 'a cursor of nobody',
    path: '/parameters/data',
    ...json('{"numericParameters":[{"parameterName":"a"}],"cursor":"x"}'),
    code: 'invalid_value',
    at: 'cursor',
  },
  {
    what: 'an unknown form of int64',
    path: '/streams?int64=text',
    method: 'POST',
    code: 'invalid_value',
    at: 'int64',
  },
];

describe('bad input', () => {
  for (const { what, path = data, status = 400, code, at, says, ...sent } of cases) {
    it(`${what}: ${status} ${code}`, async () => {
      const reply = await send(url, path, sent);
      assert.equal(reply.status, status, reply.text);
      assert.equal(reply.headers['content-type'], 'application/problem+json');
      const problem = reply.json<Problem>();
      assert.equal(problem.code, code, reply.text);
      assert.equal(problem.status, status);
      assert.equal(problem.type, `urn:pitwall:error:${code}`);
      assert.ok(problem.title.length > 0 && problem.requestId.length > 0);
      // It says more than the title.
      assert.ok((problem.detail ?? '') !== '' && problem.detail !== problem.title, reply.text);
      if (at !== undefined) assert.equal((problem.errors ?? []).at(-1)?.path, at, reply.text);
      if (says !== undefined) assert.match(problem.detail ?? '', says);
      if (status === 401) assert.equal(reply.headers['www-authenticate'], 'Bearer');
      assert.doesNotMatch(reply.text, /\bat .*\.js:/);
    });
  }

  it('wrong methods: 405 with Allow', async () => {
    const known: [path: string, allow: string][] = [
      [data, 'POST'],
      ['/streams', 'POST, DELETE'],
      ['/topics/t/streams/s', 'PUT'],
      ['/admin/tokens', 'HEAD, GET, POST'],
      ['/admin/workspaces/w', 'PUT, DELETE'],
      ['/healthz', 'HEAD, GET'],
      ['/openapi.json', 'HEAD, GET'],
    ];
    for (const [path, allow] of known) {
      for (const sent of [
        { method: 'PATCH', body: '{}' },
        { method: 'PROPFIND' },
        { method: 'QUERY' },
        { method: 'QUERY', body: '{}' },
        { method: 'QUERY', body: '{}', headers: { 'content-type': undefined } },
      ]) {
        const reply = await send(url, path, sent);
        assert.deepEqual([reply.status, reply.headers['allow']], [405, allow], `${sent.method} ${path}`);
        assert.equal(reply.json<Problem>().code, 'method_not_allowed');
      }
    }
    assert.equal((await send(url, '/nothing', { method: 'QUERY' })).status, 404);
    // Other spellings of an address, which the methods that it takes accept too.
    for (const path of [
      '/str%65ams',
      `${url}/streams`,
      `${url}/streams?int64=string`,
      '/streams?int64=string',
    ]) {
      assert.equal(await statusOf('POST', path), 200, path);
      assert.equal(await statusOf('PUT', path), 405, path);
    }
    assert.equal(await statusOf('POST', '/topics//streams/s/parameters/data'), 400);
    assert.equal(await statusOf('PUT', '/topics//streams/s/parameters/data'), 405);
    for (const method of ['GET', 'PUT', 'QUERY', 'PROPFIND', 'TRACE'])
      for (const path of ['/views/%zz', '/views/%c3%28', '/views/%', '/%e0%a4%a', `${url}/%ff`])
        assert.equal(await statusOf(method, path), 400, `${method} ${path}`);
  });

  it('parameters of an address that it does not know: 400, and nothing is done', async () => {
    const refused: readonly (readonly [path: string, sent: Sent, at: string, says: RegExp])[] = [
      ['/topics/t/streams/typo/events/e/value?timestmp=5', { body: 'x' }, 'timestmp', /"timestamp"/],
      ['/views?topc=a', {}, 'topc', /"topic"/],
      ['/views?topic=a&topic=b', {}, 'topic', /stands twice/],
      ['/views?__proto__=a', {}, '__proto__', /"topic"/],
    ];
    for (const [path, sent, at, says] of refused) {
      const reply = await send(url, path, sent);
      const { code, errors } = reply.json<Problem>();
      assert.deepEqual([reply.status, code, errors?.[0]?.path], [400, 'invalid_value', at], path);
      assert.match(errors![0]!.message, says, path);
    }
    const typo = await send(url, '/streams', json('{"streamIds":["typo"]}'));
    assert.deepEqual(typo.json(), []);
    // Clients and proxies may add what is for them where a call has none of its own.
    assert.equal((await send(url, '/streams?api-version=1', json('{}'))).status, 200);
    // It is for all calls, also for those whose answer has no 64-bit integers.
    for (const path of ['/views?int64=string', '/views?topic=a'])
      assert.equal((await send(url, path)).status, 200, path);
    assert.equal((await send(url, '/tags?int64=string', json('{}'))).status, 200);
  });

  it('names of built-in properties where there is nothing: 404 or 400, as other names', async () => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      for (const path of [`/docs/${name}`, `/${name}`, `/hub/${name}`, `/admin/${name}`]) {
        const reply = await send(url, path);
        assert.deepEqual([reply.status, reply.json<Problem>().code], [404, 'not_found'], path);
      }
      const token = await send(url, `/admin/tokens/${name}`, { method: 'DELETE' });
      assert.equal(token.json<Problem>().code, 'token_not_found');
      for (const body of [`{"${name}":1}`, `{"ordering":[{"by":"${name}"}]}`]) {
        const reply = await send(url, '/streams', { body });
        assert.deepEqual([reply.status, 'detail' in reply.json<object>()], [400, true], body);
      }
      const form = await send(url, `/streams?int64=${name}`, { method: 'POST' });
      assert.equal(form.json<Problem>().code, 'invalid_value');
    }
  });

  it('what is not HTTP at all: 400 on the bare socket', async () => {
    const answer = await speak('NONSENSE\r\n\r\n');
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.match(answer, /"code":"bad_request"/);
    const nameless = await speak('GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n');
    assert.match(nameless, /^HTTP\/1\.1 400 [\s\S]*there is no Host header/);
    for (const target of ['*', '*streams'])
      assert.match(
        await speak(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
        /^HTTP\/1\.1 400 [\s\S]*"code":"bad_request"/,
      );
    const asked = (host: string) =>
      speak(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    for (const host of ['x y', '<x>', 'x/y', 'a@b', 'a"', 'x:y', '[::1', 'a,b c'])
      assert.match(await asked(host), /^HTTP\/1\.1 400 [\s\S]*the Host header is no host/, host);
    for (const host of [
      '',
      'localhost',
      'a-b.example:8480',
      '127.0.0.1:1',
      '[::1]:80',
      'xn--strae-oqa.example',
      'a_b',
    ])
      assert.match(await asked(host), /^HTTP\/1\.1 200 /, host);
  });

  it('left nothing behind: no stream was made', async () => {
    assert.equal((await send(url, '/streams', { method: 'POST' })).text, '[]');
    assert.equal((await send(url, '/readyz')).status, 200);
  });
});

describe('unusual input that is good', () => {
  it('is taken: names of built-in properties, parameters of the media type, compression, no body at all', async () => {
    const proto = '/topics/__proto__/streams/constructor/parameters/data';
    const names =
      '{"timestamps":[1],"numericValues":{"__proto__":[1],"constructor":[2]},"tagValues":{"toString":["x"]}}';
    assert.equal((await send(url, proto, { body: names })).status, 200);
    const read = await send(url, '/parameters/data', {
      body: '{"topic":"__proto__","numericParameters":[{"parameterName":"__proto__"},{"parameterName":"constructor"}],"groupBy":["toString"]}',
    });
    assert.equal(
      read.text,
      '{"timestamps":[1],"numericValues":{"__proto__":[1],"constructor":[2]},"stringValues":{},"binaryValues":{},"tagValues":{"toString":["x"]}}',
    );

    const body = '{"timestamps":[1],"numericValues":{"a":[1]}}';
    const typed = { 'content-type': 'Application/JSON; charset=utf-8' };
    assert.equal((await send(url, data, { body, headers: typed })).status, 200);
    const encodings = {
      gzip: gzipSync(body),
      deflate: deflateSync(body),
      br: brotliCompressSync(body),
      identity: body,
    };
    for (const [encoding, bytes] of Object.entries(encodings)) {
      const reply = await send(url, data, { body: bytes, headers: { 'content-encoding': encoding } });
      assert.deepEqual([reply.status, reply.text], [200, ''], encoding);
    }
    for (const type of [undefined, 'text/plain', 'nonsense']) {
      const reply = await send(url, '/streams', { method: 'POST', headers: { 'content-type': type } });
      assert.equal(reply.status, 200);
    }
    assert.equal((await send(url, '/streams', { body: '\uFEFF{}' })).status, 200);
  });

  it('is taken: ids of the full length, with slashes and letters of any script', async () => {
    const id = 'straße/東京 1%';
    assert.ok(Buffer.byteLength(id) <= 32);
    const path = `/topics/t/streams/${encodeURIComponent(id)}/parameters/data`;
    assert.equal((await send(url, path, { body: '{"timestamps":[1]}' })).status, 200);
    const found = await send(url, '/streams', { body: JSON.stringify({ streamIds: [id] }) });
    assert.equal(found.json<{ streamId: string }[]>()[0]!.streamId, id);
  });
});

describe('overload', () => {
  it('gets 503 with Retry-After while the byte budget is taken, and the service goes on', async () => {
    const held = connect(Number(new URL(url).port), '127.0.0.1');
    const head = [
      `POST ${data} HTTP/1.1`,
      'Host: x',
      'Authorization: Bearer the-operators-own-token',
      'Content-Type: application/json',
      'Content-Length: 60000',
      'Expect: 100-continue',
    ];
    held.write(`${head.join('\r\n')}\r\n\r\n`);
    await new Promise((resolve) => held.once('data', resolve));
    held.write(' '.repeat(59_000));
    await until(async () => /^pitwall_in_flight_bytes 59000$/m.test((await send(url, '/metrics')).text));
    const body = ' '.repeat(10_000);
    const refused = await send(url, data, { body });
    assert.equal(refused.status, 503);
    assert.equal(refused.headers['retry-after'], '1');
    assert.equal(refused.json<Problem>().code, 'overloaded');
    held.destroy();
    for (;;) {
      const { status } = await send(url, data, { body });
      if (status === 400) break;
      assert.equal(status, 503);
    }
  });
});

describe('a client that waits to be told to send its body', () => {
  const head = (path: string, headers: Readonly<Record<string, string>> = {}): string => {
    const all = {
      Host: 'x',
      Authorization: 'Bearer the-operators-own-token',
      'Content-Type': 'application/json',
      'Content-Length': '2',
      Expect: '100-continue',
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
  };
  const wrong = { Authorization: 'Bearer wrong' };

  it('is told at once what its head shows to be wrong', async () => {
    const refusals: [head: string, status: number][] = [
      [head(data, wrong), 401],
      [head(data, { 'Content-Length': '70000' }), 413],
      [head(data, { 'Content-Type': 'text/plain' }), 415],
      [head(data, { 'Content-Encoding': 'rot13' }), 415],
      [head('/nothing'), 404],
      [head('/topics/t'), 405],
      [head('/write', wrong), 401],
      [head('/hub/negotiate', wrong), 401],
      [head('/hub?id=x', wrong), 401],
      [head('/hub?id=x'), 404],
    ];
    for (const [said, status] of refusals) {
      const heard = await speak(said);
      assert.match(
        heard,
        new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*\\r\\nConnection: close\\r\\n`, 'i'),
        said,
      );
      assert.equal(heard.match(/HTTP\/1\.1/g)!.length, 1);
    }
  });

  it('is told to go on where the head is good', async () => {
    for (const path of ['/streams', '/topics', '/parameters']) {
      const client = await openRawClient(url);
      client.socket.write(head(path));
      assert.match(await client.answer(), /^HTTP\/1\.1 100 /);
      client.socket.write('{}');
      const answer = await client.answer();
      assert.match(answer, /^HTTP\/1\.1 200 /);
      assert.doesNotMatch(answer, /Connection: close/i);
      client.socket.destroy();
    }
  });
});

/** The status of a request whose target is exactly this. */
async function statusOf(method: string, target: string): Promise<number> {
  const client = await openRawClient(url);
  const head = `${method} ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\n`;
  client.socket.write(`${head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`);
  const [, status] = (await client.answer()).split(' ');
  client.socket.destroy();
  return Number(status);
}

/** Says something on a bare connection and hears it out. */
function speak(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text));
    let heard = '';
    socket.on('data', (chunk) => {
      heard += String(chunk);
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(heard));
  });
}
