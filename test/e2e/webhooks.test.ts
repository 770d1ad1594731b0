import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { type Receiver, startReceiver } from '../ingest/webhooks/receiver.ts';
import { until } from '../until.ts';
import {
  adminToken,
  launchService,
  type RunningService,
  send,
  startService,
  temporaryFolder,
} from './service.ts';

async function receiverOfTest(port?: number): Promise<Receiver> {
  const receiver = await startReceiver(port);
  after(() => receiver.close());
  return receiver;
}

function put({ url }: RunningService, webhook: unknown) {
  const body = JSON.stringify({ expression: 'a > 5', webhook });
  return send(url, '/topics/t/alerts/hot', { method: 'PUT', body });
}

async function write({ url }: RunningService, time: number, a: number): Promise<void> {
  const body = JSON.stringify({ timestamps: [time], numericValues: { a: [a] } });
  const reply = await send(url, '/topics/t/streams/s/parameters/data', { body });
  assert.equal(reply.status, 200, reply.text);
}

async function metric({ url }: RunningService, line: string): Promise<number> {
  const { text } = await send(url, '/metrics');
  return Number(
    text
      .split('\n')
      .find((one) => one.startsWith(`${line} `))
      ?.slice(line.length) ?? Number.NaN,
  );
}

interface Refusal {
  readonly code: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}

describe('webhooks', () => {
  it('are refused where the operator has not named their host, with the name of the setting', async () => {
    const closed = await put(await startService(), { url: 'http://127.0.0.1:9/' });
    assert.equal(closed.status, 400);
    const { code, errors } = closed.json<Refusal>();
    assert.equal(code, 'invalid_value');
    assert.equal(errors[0]!.path, 'webhook.url');
    assert.match(errors[0]!.message, /needs the setting --webhook-allow/);
    const open = await startService({ args: ['--webhook-allow', 'hooks.example.com:8080,10.0.0.0/8'] });
    const other = (await put(open, { url: 'http://hooks.example.com/' })).json<Refusal>();
    assert.match(other.errors[0]!.message, /is at hooks.example.com, which the operator has not named/);
    assert.equal((await put(open, { url: 'http://hooks.example.com:8080/x' })).status, 200);
    assert.equal((await put(open, { url: 'https://10.1.2.3/x' })).status, 200);
  });

  it('are refused of a rule that is there already and does not change, where the host is named no more', async () => {
    const args = ['--webhook-allow', '127.0.0.1'];
    const dataDir = temporaryFolder();
    const webhook = { url: 'http://127.0.0.1:9/' };
    const before = await startService({ dataDir, args });
    assert.equal((await put(before, webhook)).status, 200);
    await before.stop();
    const service = await startService({ dataDir });
    const again = await put(service, webhook);
    assert.equal(again.status, 400, again.text);
    assert.match(again.json<Refusal>().errors[0]!.message, /needs the setting --webhook-allow/);
    const kept = await send(service.url, '/topics/t/alerts/hot', { method: 'GET' });
    assert.deepEqual(kept.json<{ webhook: unknown }>().webhook, webhook);
    assert.equal((await put(service, undefined)).status, 200);
  });

  it('are told with the client, and what they were not told stands in the alerts, for readers without address and secrets', async () => {
    const receiver = await receiverOfTest();
    const service = await startService({ args: ['--webhook-allow', '127.0.0.1'] });
    const client = createClient({ url: service.url, token: adminToken });
    const webhook = { url: `http://${receiver.host}/secret-path`, headers: { 'X-Key': 'secret-value' } };
    await client.putAlertRule('t', 'hot', { expression: 'a > 5', webhook });
    assert.deepEqual((await client.alertRules('t'))[0]!.webhook, webhook);
    await write(service, 1, 9);
    await until(() => receiver.received.length === 1);
    assert.equal(receiver.received[0]!.headers['x-key'], 'secret-value');
    await until(async () => (await client.alerts())[0]?.webhook?.waiting === 0);
    receiver.answer((response) => void response.writeHead(503).end());
    await write(service, 2, 1);
    const reader = await send(service.url, '/admin/tokens', {
      body: JSON.stringify({ scopes: ['read'] }),
    });
    const { token } = reader.json<{ token: string }>();
    const list = () => send(service.url, '/alerts', { method: 'POST', body: '{}', token });
    await until(async () => (await list()).json<unknown[]>().length === 1);
    const { text } = await list();
    assert.deepEqual(JSON.parse(text), [
      {
        topic: 't',
        name: 'hot',
        streamId: 's',
        state: 'failed',
        problem: 'its webhook is not told yet: the answer was 503',
        webhook: { waiting: 1, problem: 'the answer was 503' },
      },
    ]);
    assert.equal((await send(service.url, '/topics/t/alerts/hot', { token })).status, 403);
    assert.ok((await metric(service, 'pitwall_webhook_tries_total{outcome="failed"}')) >= 1);
    assert.equal(await metric(service, 'pitwall_webhook_tries_total{outcome="delivered"}'), 1);
    assert.equal(await metric(service, 'pitwall_webhook_messages_waiting'), 1);
    assert.ok(!/secret/.test(text + service.stderr()));
  });

  it('wait over a stop, which does not wait for one that hangs, and are told after the next start', async () => {
    const receiver = await receiverOfTest();
    const dataDir = temporaryFolder();
    const args = ['--webhook-allow', '127.0.0.1'];
    const first = await launchService(dataDir, { args });
    await put(first, { url: `http://${receiver.host}/` });
    receiver.answer(() => undefined);
    await write(first, 1, 9);
    await write(first, 2, 1);
    await until(() => receiver.received.length === 1);
    assert.equal((await first.stop()).code, 0);
    receiver.answer((response) => void response.end());
    const second = await launchService(dataDir, { args });
    after(() => second.stop('SIGKILL'));
    await until(() => receiver.received.length === 3);
    const told = receiver.received.map(({ message: { state, time } }) => `${state} ${time}`);
    assert.deepEqual(told, ['firing 1', 'firing 1', 'resolved 2']);
    assert.equal(receiver.received[0]!.message.id, receiver.received[1]!.message.id);
    assert.equal((await second.stop()).code, 0);
  });

  it('are told over TLS, where the certificate is of the host', async () => {
    const folder = temporaryFolder();
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const made = [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      key,
      '-out',
      cert,
      '-days',
      '2',
    ];
    execFileSync('openssl', [...made, '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'], {
      stdio: 'ignore',
    });
    const paths: string[] = [];
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
      paths.push(`${request.headers.host} ${request.url}`);
      request.resume();
      response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const service = await startService({
      args: ['--webhook-allow', 'localhost,127.0.0.1'],
      env: { PITWALL_TOKEN: adminToken, NODE_EXTRA_CA_CERTS: cert },
    });
    await put(service, { url: `https://127.0.0.1:${port}/wrong-name` });
    await write(service, 1, 9);
    await until(async () => (await metric(service, 'pitwall_webhook_tries_total{outcome="failed"}')) >= 1);
    await put(service, { url: `https://localhost:${port}/hook` });
    await until(() => paths.length > 0);
    assert.deepEqual(paths, [`localhost:${port} /hook`]);
  });
});
