import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { connect } from 'node:tls';
import { makeCertificate, opensslMissing } from '../certificate.ts';
import { readAnswers } from '../http/raw-client.ts';
import { until } from '../until.ts';
import { mqttUrlOf } from './mqtt-rows.ts';
import { adminToken, pitwall, startService, temporaryFolder } from './service.ts';

/** The fingerprint of the certificate that a new connection is shown. */
function fingerprint(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      { host: '127.0.0.1', port: Number(new URL(url).port), rejectUnauthorized: false },
      () => {
        resolve(socket.getPeerCertificate().fingerprint256);
        socket.destroy();
      },
    );
    socket.on('error', reject);
  });
}

describe('TLS', { skip: opensslMissing }, () => {
  it('takes a renewed certificate on SIGHUP, without a restart', async () => {
    const folder = temporaryFolder();
    const { cert, key } = makeCertificate(folder);
    const args = ['--tls-cert', cert, '--tls-key', key, '--mqtt-listen', '127.0.0.1:0'];
    const service = await startService({ args });
    assert.match(service.url, /^https:/);
    const urls = [service.url, mqttUrlOf(service)];
    const [before] = await Promise.all(urls.map(fingerprint));
    const areAll = async (wanted: string | undefined) => {
      for (const url of urls) assert.equal(await fingerprint(url), wanted, url);
    };
    await areAll(before);

    const own = readFileSync(key);
    for (const wrong of ['no key', readFileSync(makeCertificate(temporaryFolder()).key)]) {
      writeFileSync(key, wrong);
      const told = service.stderr().split('the TLS files cannot be used').length;
      service.child.kill('SIGHUP');
      await until(() => service.stderr().split('the TLS files cannot be used').length > told);
      await areAll(before);
    }
    writeFileSync(key, own);

    makeCertificate(folder);
    await areAll(before);
    service.child.kill('SIGHUP');
    await until(() => service.stderr().includes('read the TLS files again'));
    const after = await fingerprint(service.url);
    assert.notEqual(after, before);
    await areAll(after);
    assert.equal((await service.stop()).code, 0);
  });

  it('stops the start with the name of the setting where a file cannot be used', () => {
    const folder = temporaryFolder();
    const { key: other } = makeCertificate(temporaryFolder());
    const { cert, key } = makeCertificate(folder);
    const nowhere = join(folder, 'nowhere.pem');
    const data = join(folder, 'data');
    for (const [files, said] of [
      [[nowhere, key], /^pitwall: --tls-cert: the file .*nowhere\.pem cannot be used: ENOENT.*\n$/],
      [[key, key], /^pitwall: --tls-cert: the file .*key\.pem cannot be used: .*\n$/],
      [[cert, nowhere], /^pitwall: --tls-key: the file .*nowhere\.pem cannot be used: ENOENT.*\n$/],
      [[cert, other], new RegExp(`^pitwall: --tls-key: the file ${other} cannot be used: .*\n$`)],
    ] as const) {
      const args = [
        '--listen',
        '127.0.0.1:0',
        '--data-dir',
        data,
        '--tls-cert',
        files[0],
        '--tls-key',
        files[1],
      ];
      const { status, stderr } = spawnSync(process.execPath, [pitwall, ...args], { encoding: 'utf8' });
      assert.equal(status, 2);
      assert.match(stderr, said);
      assert.ok(!existsSync(data), 'nothing is made before the settings are right');
    }
  });

  it('carries out the requests of one connection one after another', async () => {
    const folder = temporaryFolder();
    const { cert, key } = makeCertificate(folder);
    const { url } = await startService({ args: ['--tls-cert', cert, '--tls-key', key] });
    const post = (path: string, body: string, more = ''): string =>
      `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${adminToken}\r\n${more}` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const write = post('/topics/t/streams/s/parameters/data', '{"timestamps":[1],"numericValues":{"a":[1]}}');
    const query = '{"numericParameters":[{"parameterName":"a"}]}';
    const offer = 'Connection: Upgrade\r\nUpgrade: h2c\r\n';
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const client = readAnswers(socket);
    socket.write(write + post('/parameters/data', query) + post('/parameters/data', query, offer) + write);
    assert.match(await client.answer(), /^HTTP\/1\.1 200 /);
    assert.match(await client.answer(), /"timestamps":\[1\]/);
    assert.match(
      await client.rest(),
      /^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*"timestamps":\[1\][^\n]*$/i,
    );
  });

  it('cuts a client that does not take its answer', async () => {
    const folder = temporaryFolder();
    const { cert, key } = makeCertificate(folder);
    const args = ['--tls-cert', cert, '--tls-key', key, '--write-timeout=1s'];
    const service = await startService({ args });
    const port = Number(new URL(service.url).port);
    const open = async () => {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      return socket;
    };
    const documents = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(200);
    const stalled = await open();
    stalled.on('error', () => {}).pause();
    stalled.write(documents);
    await until(() => /did not take what was sent to them/.test(service.stderr()));
    stalled.destroy();

    const reading = await open();
    reading.write(documents.replace(/\r\n\r\n$/, '\r\nConnection: close\r\n\r\n'));
    const answers = await readAnswers(reading).rest();
    assert.equal(answers.match(/HTTP\/1\.1 200 /g)?.length, 200);
  });
});
