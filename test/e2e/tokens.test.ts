import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { adminToken, run, send, serviceOfSuite, startService } from './service.ts';

const service = await startService();
const { url } = service;
const cli = (args: string[], token = adminToken) => run(args, { PITWALL_URL: url, PITWALL_TOKEN: token });

async function makeToken(...options: string[]): Promise<string> {
  const { code, stdout, stderr } = await cli(['token', 'create', ...options]);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^pw_[A-Za-z0-9_-]{43}\n$/);
  return stdout.trim();
}

async function idOf(name: string): Promise<string> {
  const { stdout } = await cli(['token', 'list']);
  const line = stdout.split('\n').find((row) => row.endsWith(`  ${name}`));
  return line!.split(' ')[0]!;
}

const write = (token: string, topic = 't') =>
  send(url, `/topics/${topic}/streams/s/parameters/data`, {
    token,
    body: '{"timestamps":[1],"numericValues":{"a":[1]}}',
  });
const read = (token: string) => send(url, '/streams', { method: 'POST', token });

describe("a token's life", () => {
  it('begins with exactly the scopes that it was given', async () => {
    const reader = await makeToken('--scope', 'read');
    const writer = await makeToken('--scope', 'write');
    const both = await makeToken();
    const admin = await makeToken('--scope', 'admin');
    assert.deepEqual([(await read(reader)).status, (await write(reader)).status], [200, 403]);
    assert.deepEqual([(await read(writer)).status, (await write(writer)).status], [403, 200]);
    assert.deepEqual([(await read(both)).status, (await write(both)).status], [200, 200]);
    assert.deepEqual([(await read(admin)).status, (await write(admin)).status], [200, 200]);
    assert.equal((await send(url, '/admin/tokens', { token: both })).status, 403);
    assert.equal((await send(url, '/admin/tokens', { token: admin })).status, 200);
  });

  it('is listed without the token or its hash', async () => {
    const token = await makeToken('--name', 'listed', '--expires', '1h');
    const list = (await send(url, '/admin/tokens')).json<Record<string, unknown>[]>();
    const shown = list.find(({ name }) => name === 'listed')!;
    assert.deepEqual(Object.keys(shown).sort(), [
      'createdAt',
      'expires',
      'id',
      'name',
      'scopes',
      'workspace',
    ]);
    assert.ok(!JSON.stringify(list).includes(token));
  });

  it('ends when it is revoked', async () => {
    const token = await makeToken('--name', 'revoked');
    assert.equal((await read(token)).status, 200);
    const revoked = await cli(['token', 'revoke', await idOf('revoked')]);
    assert.equal(revoked.code, 0);
    const refused = await read(token);
    assert.equal(refused.status, 401);
    assert.equal(refused.headers['www-authenticate'], 'Bearer');
    assert.equal((await cli(['token', 'list'])).stdout.includes('revoked'), false);
  });

  it('ends by itself when it expires', async () => {
    let expires = '';
    const make = (ms: number) => {
      expires = new Date(Date.now() + ms).toISOString();
      return send(url, '/admin/tokens', { body: JSON.stringify({ scopes: ['read'], expires }) });
    };
    let made = await make(300);
    // On a busy machine that is over before the service sees it.
    if (made.status !== 200) made = await make(20_000);
    const { token } = made.json<{ token: string }>();
    let reply = await read(token);
    while (reply.status === 200) reply = await read(token);
    assert.ok(Date.now() >= Date.parse(expires));
    assert.equal(reply.status, 401);
    assert.match(reply.json<{ detail: string }>().detail, new RegExp(`expired at ${expires}`));
  });

  it('is refused with a past end, and unknown ids with 404', async () => {
    const past = await cli(['token', 'create', '--expires', '2001-01-01T00:00:00Z']);
    assert.equal(past.code, 1);
    assert.match(past.stderr, /expires is in the past/);
    const unknown = await cli(['token', 'revoke', 'nonsense']);
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /^pitwall: 404 There is no such token/);
  });

  it('is told apart from a wrong one on the command line', async () => {
    const { code, stderr } = await cli(['token', 'list'], 'wrong');
    assert.equal(code, 1);
    assert.match(stderr, /^pitwall: 401 A valid token is needed: .*not known/);
  });
});

describe('workspaces', () => {
  it('are made once, listed, and removed with everything in them', async () => {
    assert.equal((await cli(['workspace', 'create', 'gone'])).code, 0);
    assert.equal((await cli(['workspace', 'create', 'gone'])).code, 0);
    assert.match((await cli(['workspace', 'list'])).stdout, /^default .*\n^gone /m);
    const token = await makeToken('--workspace', 'gone');
    assert.equal((await write(token)).status, 200);
    assert.equal((await cli(['workspace', 'remove', 'gone'])).code, 0);
    assert.equal((await write(token)).status, 401);
    assert.equal((await cli(['workspace', 'create', 'gone'])).code, 0);
    assert.equal((await read(await makeToken('--workspace', 'gone'))).text, '[]');
  });

  it('see their own streams and rows only', async () => {
    for (const name of ['red', 'blue']) {
      await cli(['workspace', 'create', name]);
      const token = await makeToken('--workspace', name);
      await write(token, `only-${name}`);
      const streams = (await read(token)).json<{ topic: string }[]>();
      assert.deepEqual(
        streams.map(({ topic }) => topic),
        [`only-${name}`],
      );
      const body = '{"numericParameters":[{"parameterName":"a"}]}';
      const rows = (await send(url, '/parameters/data', { token, body })).json<{ timestamps: number[] }>();
      assert.deepEqual(rows.timestamps, [1]);
    }
  });

  it("are out of reach for another workspace's admin", async () => {
    await cli(['workspace', 'create', 'green']);
    const own = await makeToken('--workspace', 'green', '--scope', 'admin');
    const workspaces = (await send(url, '/admin/workspaces', { token: own })).json<{ name: string }[]>();
    assert.deepEqual(
      workspaces.map(({ name }) => name),
      ['green'],
    );
    const tokens = (await send(url, '/admin/tokens', { token: own })).json<{ workspace: string }[]>();
    assert.deepEqual([...new Set(tokens.map(({ workspace }) => workspace))], ['green']);

    const foreign = '{"workspace":"default","scopes":["read"]}';
    assert.equal((await send(url, '/admin/tokens', { token: own, body: foreign })).status, 403);
    const made = await send(url, '/admin/tokens', { token: own, body: '{"scopes":["read"]}' });
    assert.equal(made.json<{ workspace: string }>().workspace, 'green');
    await makeToken('--name', 'of-default');
    const path = `/admin/tokens/${await idOf('of-default')}`;
    assert.equal((await send(url, path, { token: own, method: 'DELETE' })).status, 404);
    assert.equal((await send(url, '/admin/workspaces', { token: own, body: '{"name":"x"}' })).status, 403);
    assert.equal((await send(url, '/admin/workspaces/green', { token: own, method: 'DELETE' })).status, 403);
    assert.equal((await send(url, '/metrics', { token: own })).status, 403);
  });

  it('have names that can stand in an address, and keep the settings that they are given', async () => {
    for (const name of ['Upper', '-a', 'a-', 'a.b', 'a b', 'x'.repeat(64)]) {
      const refused = await send(url, '/admin/workspaces', { body: JSON.stringify({ name }) });
      assert.equal(refused.status, 400, name);
      assert.equal(refused.json<{ errors: { path: string }[] }>().errors[0]!.path, 'name');
    }
    const limited = await send(url, '/admin/workspaces/limited', { method: 'PUT', body: '{"maxStreams":1}' });
    assert.equal(limited.status, 200);
    const listed = (await send(url, '/admin/workspaces')).json<{ name: string; maxStreams?: number }[]>();
    assert.equal(listed.find(({ name }) => name === 'limited')?.maxStreams, 1);
    for (const bad of ['{"maxStreams":0}', '{"maxBytes":-1}', '{"retention":"soon"}']) {
      const refused = await send(url, '/admin/workspaces/limited', { method: 'PUT', body: bad });
      assert.equal(refused.status, 400, bad);
    }
    assert.equal((await send(url, '/admin/workspaces/plain', { method: 'PUT' })).status, 200);
    assert.equal((await cli(['workspace', 'remove', 'default'])).code, 1);
    assert.match(
      (await cli(['workspace', 'remove', 'nowhere'])).stderr,
      /^pitwall: 404 There is no such workspace/,
    );
    const orphan = await send(url, '/admin/tokens', { body: '{"workspace":"nowhere","scopes":["read"]}' });
    assert.equal(orphan.status, 404);
  });
});

describe('workspaces by address', () => {
  const args = ['--host-pattern', '{service}-{organisation}-{workspace}.{domain}', '--domain', 'example.com'];
  const service = serviceOfSuite({ args });
  const at = (host: string, token: string) =>
    send(service.url, '/streams', { method: 'POST', token, headers: { host } });

  it('take a token of theirs and send away others with 403', async () => {
    const address = service.url;
    await send(address, '/admin/workspaces', { body: '{"name":"racing"}' });
    const body = '{"workspace":"racing","scopes":["read"]}';
    const { token } = (await send(address, '/admin/tokens', { body })).json<{ token: string }>();
    assert.equal((await at('query-acme-racing.example.com', token)).status, 200);
    assert.equal((await at('QUERY-ACME-RACING.EXAMPLE.COM:8480', token)).status, 200);
    const other = await at('query-acme-default.example.com', token);
    assert.equal(other.status, 403);
    assert.equal(other.json<{ code: string }>().code, 'forbidden');
    assert.equal((await at('query-acme-racing.example.com', adminToken)).status, 403);
    assert.equal((await at('localhost', token)).status, 200);
  });
});

it('no token is in any log', async () => {
  const { stderr } = await service.stop();
  assert.doesNotMatch(stderr, /pw_|operators-own/);
});

describe('a token that ends', () => {
  const service = serviceOfSuite();
  const make = (token: string, request: object) =>
    send(service.url, '/admin/tokens', { token, body: JSON.stringify(request) });
  const expiresOf = async (name: string) => {
    const list = (await send(service.url, '/admin/tokens')).json<{ name?: string; expires?: string }[]>();
    return list.find((token) => token.name === name)?.expires;
  };

  it('makes none that outlives it', async () => {
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const later = new Date(Date.parse(end) + 1).toISOString();
    const made = await make(adminToken, { scopes: ['admin'], name: 'maker', expires: end });
    const { token: maker } = made.json<{ token: string }>();
    const refused = await make(maker, { scopes: ['read'], name: 'outliving', expires: later });
    assert.deepEqual([refused.status, refused.json<{ code: string }>().code], [403, 'forbidden']);
    assert.equal(await expiresOf('outliving'), undefined);
    assert.equal((await make(maker, { scopes: ['admin'], name: 'without an end' })).status, 200);
    assert.equal(await expiresOf('without an end'), end);
    assert.equal((await make(maker, { scopes: ['read'], name: 'as long', expires: end })).status, 200);
    assert.equal(await expiresOf('as long'), end);
    const grandchild = (await make(maker, { scopes: ['admin'], name: 'child' })).json<{ token: string }>();
    assert.equal((await make(grandchild.token, { scopes: ['read'], expires: later })).status, 403);
    assert.equal(
      (await make(adminToken, { scopes: ['read'], name: 'endless' })).json<{ expires?: string }>().expires,
      undefined,
    );
  });
});
