import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { adminToken, send, startService } from './service.ts';

describe('the addresses of the line protocol', async () => {
  const { url } = await startService({ env: { PITWALL_TOKEN: adminToken } });

  const read = async (topic: string, streamId: string): Promise<string[]> => {
    const body = JSON.stringify({
      topic,
      streamIds: [streamId],
      numericParameters: [{ parameterName: 'x' }],
    });
    const reply = await send(url, '/parameters/data?int64=string', { body });
    return reply.json<{ timestamps: string[] }>().timestamps;
  };
  const post = (path: string, body: string) =>
    send(url, path, { body, headers: { 'content-type': undefined } });

  it('takes a slash at the end of an address, a byte order mark, and the words of version 3', async () => {
    for (const path of [
      '/write/?db=slash',
      '/api/v2/write/?bucket=slash',
      '/api/v3/write_lp/?db=slash&precision=nanosecond',
    ]) {
      const reply = await post(path, '\ufeffm x=1 1');
      assert.equal(reply.status, 204, path);
    }
    assert.deepEqual(await read('slash', 'm'), ['1']);
    assert.equal((await send(url, '/query/?q=SHOW+DATABASES')).status, 200);
    for (const path of ['/ping/', '/health/', '/settings/'])
      assert.ok((await send(url, path, { token: null })).status < 300, path);
    const wrong = await send(url, '/write/?db=slash');
    assert.deepEqual([wrong.status, wrong.headers['allow']], [405, 'POST']);
    const { text } = await send(url, '/metrics');
    assert.match(text, /^pitwall_http_requests_total\{route="\/write",status="204"\} /m);
    assert.doesNotMatch(text, /route="\/write\/"/);
  });

  it('writes all lines of version 3 or, where partial writes are not accepted, none', async () => {
    const lines = 'm x=1 1612191099\nm x=\nm x=3 1612191099000000003';
    const partial = await post('/api/v3/write_lp?db=v3', lines);
    assert.deepEqual(
      [partial.status, partial.json()],
      [
        400,
        {
          error: 'partial write of line protocol occurred (1 of 3 lines were not written)',
          data: [{ original_line: 'm x=', line_number: 2, error_message: 'the field x has no value' }],
        },
      ],
    );
    assert.deepEqual(await read('v3', 'm'), ['1612191099000000000', '1612191099000000003']);
    const none = await post('/api/v3/write_lp?db=v3none&accept_partial=false', lines);
    assert.equal(none.status, 400);
    assert.equal(
      none.json<{ error: string }>().error,
      'parsing failed for write_lp endpoint (1 of 3 lines are bad, so none was written)',
    );
    assert.deepEqual((await send(url, '/streams', { body: '{"topic":"v3none"}' })).json(), []);
    const whole = await post(
      '/api/v3/write_lp?db=v3none&accept_partial=false&no_sync=true&precision=second',
      'm x=1 5',
    );
    assert.equal(whole.status, 204);
    assert.deepEqual(await read('v3none', 'm'), ['5000000000']);
    for (const [query, error] of [
      [
        'precision=ns',
        'the precision must be one of auto, nanosecond, microsecond, millisecond, second, not ns',
      ],
      ['accept_partial=maybe', 'accept_partial must be true or false, not maybe'],
    ] as const) {
      const reply = await post(`/api/v3/write_lp?db=v3&${query}`, 'm x=1 1');
      assert.deepEqual([reply.status, reply.json()], [400, { error }]);
    }
  });

  it('takes the default policy of version 1 for the database itself', async () => {
    assert.equal((await post('/write?db=policy&rp=autogen', 'm x=1 1')).status, 204);
    assert.deepEqual(await read('policy', 'm'), ['1']);
  });

  it('lists topics to who may write, and streams to who may read', async () => {
    const tokenOf = async (scope: string): Promise<string> => {
      const reply = await send(url, '/admin/tokens', { body: JSON.stringify({ scopes: [scope] }) });
      return reply.json<{ token: string }>().token;
    };
    const [writer, reader] = [await tokenOf('write'), await tokenOf('read')];
    await post('/write?db=listed&rp=week', 'm x=1 1');
    const ask = async (token: string, q: string) =>
      await send(url, `/query?db=listed%2Fweek&q=${encodeURIComponent(q)}`, { token });
    for (const token of [writer, reader]) {
      assert.ok((await ask(token, 'SHOW DATABASES')).text.includes('["listed/week"]'));
      const policies = await ask(token, 'SHOW RETENTION POLICIES ON listed');
      assert.match(policies.text, /"values":\[\["autogen","0s","0s",1,true\],\["week","0s","0s",1,false\]\]/);
    }
    assert.match(
      (await ask(reader, 'SHOW MEASUREMENTS')).text,
      /"name":"measurements","columns":\["name"\],"values":\[\["m"\]\]/,
    );
    const refused = await ask(writer, 'SHOW MEASUREMENTS');
    assert.deepEqual(
      [refused.status, refused.json()],
      [403, { error: 'this needs the scope read; the token has write' }],
    );
  });
});
