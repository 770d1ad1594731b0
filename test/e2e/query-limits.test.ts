import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send, startService } from './service.ts';

describe('a service that gives queries no time', async () => {
  const { url } = await startService({ args: ['--max-query-time', '1ms'] });
  const count = 200_000;
  const timestamps = Array.from({ length: count }, (_, i) => i);
  const values = Array.from({ length: count }, (_, i) => (i * 7919) % 1000);
  for (const path of ['/topics/t/streams/a/parameters/data', '/topics/t/streams/b/parameters/data']) {
    const body = JSON.stringify({ timestamps, numericValues: { p: values } });
    assert.equal((await send(url, path, { body })).status, 200);
  }
  const ask = (aggregationType: string, headers: Record<string, string> = {}) =>
    send(url, '/parameters/data', {
      body: JSON.stringify({ numericParameters: [{ parameterName: 'p', aggregationType }] }),
      headers,
    });

  it('refuses what takes long, in JSON and in a table', async () => {
    for (const headers of [{}, { accept: 'text/csv' }]) {
      const { status, text, json, headers: answered } = await ask('Median', headers);
      const { requestId, ...problem } = json<Record<string, unknown>>();
      assert.equal(typeof requestId, 'string', text);
      assert.deepEqual(problem, {
        type: 'urn:pitwall:error:query_too_slow',
        title: 'The query would take too long',
        status: 400,
        detail:
          'the query would work for more than 0.001 s without rows to give; ask for less time, fewer streams or parameters, or wider buckets',
        code: 'query_too_slow',
      });
      assert.equal(status, 400);
      assert.match(String(answered['content-type']), /^application\/problem\+json/);
    }
  });

  it('answers what is quick', async () => {
    const { status, text } = await send(url, '/parameters/data', {
      body: '{"numericParameters":[{"parameterName":"q","aggregationType":"Mean"}]}',
    });
    assert.equal(status, 200, text);
  });
});
