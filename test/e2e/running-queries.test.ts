import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { describe, it } from 'node:test';
import { until } from '../until.ts';
import { adminToken, isOnClickHouse, type Reply, run, send, startService } from './service.ts';

interface Listed {
  readonly id: string;
  readonly workspace: string;
  readonly route: string;
  readonly query: string;
  readonly startedAt: string;
  readonly elapsedSeconds: number;
  readonly rowsRead: number;
  readonly bytesAnswered: number;
  readonly tokenId: string;
  readonly tokenName?: string;
}

const service = await startService({ args: ['--slow-query', '1ms'] });
const { url } = service;

/** Each lasts for seconds: a median keeps and sorts every value that it is of. */
const columns = 20;
const rows = 20_000;
const payloads = 15;
for (let payload = 0; payload < payloads; payload++) {
  const timestamps = Array.from({ length: rows }, (_, i) => payload * rows + i);
  const values = timestamps.map((time) => (time * 7919) % 10_007);
  const numericValues = Object.fromEntries(Array.from({ length: columns }, (_, i) => [`p${i}`, values]));
  const body = JSON.stringify({ timestamps, numericValues });
  assert.equal((await send(url, '/topics/t/streams/s/parameters/data', { body })).status, 200);
}

const asked = (aggregationType?: string) =>
  Array.from({ length: columns }, (_, i) => ({
    parameterName: `p${i}`,
    ...(aggregationType && { aggregationType }),
  }));
const long = JSON.stringify({ topic: 't', numericParameters: asked('Median') });
const everything = JSON.stringify({ topic: 't', numericParameters: asked() });

const running = async (token = adminToken): Promise<Listed[]> =>
  (await send(url, '/admin/queries', { token })).json<Listed[]>();
const end = (id: string, token = adminToken): Promise<Reply> =>
  send(url, `/admin/queries/${id}`, { method: 'DELETE', token });
const makeToken = async (body: object): Promise<string> =>
  (await send(url, '/admin/tokens', { body: JSON.stringify(body) })).json<{ token: string }>().token;

/** What runs for a token with this name, when something does. */
async function started(tokenName: string): Promise<Listed> {
  let found: Listed | undefined;
  await until(async () => {
    found = (await running()).find((query) => query.tokenName === tokenName);
    return found !== undefined;
  });
  return found!;
}

/** Lines of the log about the queries of a token. */
const logged = (what: string) =>
  service
    .stderr()
    .split('\n')
    .filter((line) => line.endsWith(`"msg":"${what}"}`))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const slowLine = async (tokenId: string) => {
  const find = () => logged('a slow query').find((line) => line['tokenId'] === tokenId);
  await until(find);
  return find()!;
};

/** Asks for a table, and takes nothing of it but its beginning. */
async function stalled(
  token: string,
  headers: Record<string, string> = {},
): Promise<{ outgoing: ClientRequest; response: IncomingMessage }> {
  const outgoing = request(`${url}/parameters/data`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'text/csv',
      'content-length': Buffer.byteLength(everything),
      ...headers,
    },
  });
  outgoing.end(everything);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { outgoing, response };
}

describe('a query that runs', () => {
  it('is listed with all that tells it apart, without a token', async () => {
    const token = await makeToken({ scopes: ['read'], name: 'dashboard' });
    const { outgoing } = await stalled(token);
    const query = await started('dashboard');
    assert.equal(query.workspace, 'default');
    assert.equal(query.route, '/parameters/data');
    assert.equal(query.query, everything);
    assert.ok(query.elapsedSeconds >= 0);
    assert.ok(Date.parse(query.startedAt) <= Date.now());
    assert.ok(query.rowsRead > 0, 'it has read rows');
    assert.ok(query.bytesAnswered > 0, 'it has answered some');
    assert.ok(!JSON.stringify(query).includes(token));
    assert.match((await send(url, '/metrics')).text, /^pitwall_running_queries 1$/m);
    outgoing.destroy();
    await until(async () => (await running()).length === 0);
    const line = await slowLine(query.tokenId);
    assert.equal(line['outcome'], 'left');
  });

  it('is ended by an admin, and its client is told', async () => {
    const token = await makeToken({ scopes: ['read'], name: 'worker' });
    let answered: Reply | undefined;
    let query: Listed | undefined;
    // On a busy machine one may be faster than whoever wants to end it.
    await until(async () => {
      const answer = send(url, '/parameters/data', { body: long, token });
      let isOver = false;
      void answer.finally(() => {
        isOver = true;
      });
      await until(async () => {
        query = (await running()).find(({ tokenName }) => tokenName === 'worker');
        return query !== undefined || isOver;
      });
      if (query === undefined) return false;
      const ended = await end(query.id);
      answered = await answer;
      return ended.status === 200;
    });
    const { id, tokenId } = query!;
    const { status, headers, json } = answered!;
    assert.equal(json<{ code: string }>().code, 'query_ended');
    assert.equal(status, 400);
    assert.equal(headers['retry-after'], undefined);
    await until(async () => (await running()).length === 0);
    const gone = await end(id);
    assert.deepEqual([gone.status, gone.json<{ code: string }>().code], [404, 'query_not_found']);
    await until(() =>
      logged('a slow query').some((line) => line['tokenId'] === tokenId && line['outcome'] === 'ended'),
    );
    const [told] = logged('an admin ended a query').filter((line) => line['queryId'] === id);
    assert.equal(told!['endedBy'], 'operator');
  });

  const ways = {
    'on the lane': {},
    'through the framework': { origin: 'http://a' },
    compressed: { 'accept-encoding': 'gzip' },
  };
  for (const [way, headers] of Object.entries(ways)) {
    it(`is ended while its client takes nothing, ${way}: the connection is cut`, async () => {
      const name = `stalled ${way}`;
      const { response } = await stalled(await makeToken({ scopes: ['read'], name }), headers);
      const broken = once(response, 'error');
      const { id, tokenId } = await started(name);
      assert.equal((await end(id)).status, 200);
      response.resume();
      const [error] = (await broken) as [NodeJS.ErrnoException];
      assert.equal(error.code, 'ECONNRESET');
      await until(async () => (await running()).length === 0);
      assert.equal((await slowLine(tokenId))['outcome'], 'ended');
      assert.doesNotMatch(service.stderr(), /an answer broke off/);
    });
  }

  it('is seen and ended by an admin of its workspace, and by no other', async () => {
    for (const name of ['red', 'blue']) await send(url, '/admin/workspaces', { body: `{"name":"${name}"}` });
    const reader = await makeToken({ scopes: ['read'], name: 'in-default' });
    const [red, blue] = [
      await makeToken({ scopes: ['admin'], workspace: 'red' }),
      await makeToken({ scopes: ['admin'], workspace: 'blue' }),
    ];
    const { outgoing, response } = await stalled(reader);
    response.on('error', () => {});
    outgoing.on('error', () => {});
    const { id } = await started('in-default');
    for (const token of [red, blue]) {
      assert.deepEqual(await running(token), []);
      assert.equal((await end(id, token)).status, 404);
    }
    assert.equal((await send(url, '/admin/queries', { token: reader })).status, 403);
    assert.equal((await end(id, reader)).status, 403);
    assert.equal((await end(id)).status, 200);
  });
});

describe('pitwall queries', () => {
  const cli = (args: string[]) => run(args, { PITWALL_URL: url, PITWALL_TOKEN: adminToken });

  it('lists what runs, and ends one', async () => {
    const token = await makeToken({ scopes: ['read'], name: 'of-the-cli' });
    const { response } = await stalled(token);
    const broken = once(response, 'error');
    const { id } = await started('of-the-cli');
    const list = await cli(['queries']);
    assert.deepEqual([list.code, list.stderr], [0, '']);
    assert.match(list.stdout, /^ID +WORKSPACE +SECONDS +ROWS READ +BYTES +TOKEN +QUERY\n/);
    assert.match(
      list.stdout,
      new RegExp(`^${id} +default .* of-the-cli +/parameters/data \\{"topic":"t"`, 'm'),
    );
    assert.deepEqual(await cli(['queries', 'end', id]), { code: 0, stdout: `ended ${id}\n`, stderr: '' });
    response.resume();
    await broken;
    const again = await cli(['queries', 'end', id]);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /^pitwall: 404 There is no such query/);
  });

  it('says what it takes', async () => {
    for (const args of [
      ['queries', 'stop'],
      ['queries', 'end'],
      ['queries', 'end', 'a', 'b'],
    ]) {
      const { code, stderr } = await cli(args);
      assert.equal(code, 2, args.join(' '));
      assert.match(stderr, /^pitwall: /);
    }
  });
});

describe('a slow query', () => {
  it('is logged in one line, and counted', async () => {
    const token = await makeToken({ scopes: ['read'], name: 'slow' });
    const [listed] = (await send(url, '/admin/tokens')).json<{ id: string; name?: string }[]>().slice(-1);
    const { text } = await send(url, '/parameters/data', { body: everything, token });
    const { time, level, queryId, milliseconds, rowsRead, ...line } = await slowLine(listed!.id);
    assert.deepEqual(line, {
      route: '/parameters/data',
      workspace: 'default',
      tokenId: listed!.id,
      query: everything,
      bytesAnswered: Buffer.byteLength(text),
      outcome: 'answered',
      msg: 'a slow query',
    });
    assert.equal(level, 40);
    // In ClickHouse a row is one value, and a slice that is too large is read anew.
    if (isOnClickHouse) assert.ok(Number(rowsRead) >= rows * payloads * columns);
    else assert.equal(rowsRead, rows * payloads);
    assert.ok(Number(milliseconds) >= 1);
    assert.match(
      (await send(url, '/metrics')).text,
      /^pitwall_slow_queries_total\{route="\/parameters\/data"\} [1-9]/m,
    );
  });

  it('is logged with what it failed with, its text cut to what a person reads', async () => {
    const token = await makeToken({ scopes: ['read'], name: 'failing' });
    const [listed] = (await send(url, '/admin/tokens')).json<{ id: string; name?: string }[]>().slice(-1);
    const streamIds = Array.from({ length: 200_000 }, (_, i) => `ä${i}`);
    const body = JSON.stringify({ streamIds, numericParameters: 1 });
    assert.equal((await send(url, '/parameters/data', { body, token })).status, 400);
    const line = await slowLine(listed!.id);
    assert.deepEqual([line['outcome'], line['code']], ['failed', 'wrong_type']);
    const query = String(line['query']);
    assert.ok(body.startsWith(query.slice(0, -1)) && query.endsWith('…'), query.slice(-20));
    assert.ok(Buffer.byteLength(query) <= 2048 + 3);
  });

  it('holds no token in the log', () => {
    assert.doesNotMatch(service.stderr(), /pw_|operators-own/);
  });
});

describe('a service that logs no slow queries', async () => {
  for (const off of ['0', 'off']) {
    it(`with --slow-query ${off}`, async () => {
      const { url: quiet, stop } = await startService({ args: ['--slow-query', off] });
      assert.equal((await send(quiet, '/streams', { body: '{}' })).status, 200);
      const { stderr } = await stop();
      assert.doesNotMatch(stderr, /a slow query/);
    });
  }
});
