import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { describe, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { makeCertificate, opensslMissing } from '../certificate.ts';
import { openRawClient, readAnswers } from '../http/raw-client.ts';
import { aboveStores, adminToken, startService, temporaryFolder } from './service.ts';

const head = `POST /api/v1/write HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${adminToken}\r\n`;

describe('a service that stops', { skip: aboveStores }, () => {
  it('does not wait for heads and handshakes that are not whole, and finishes what is under way', {
    skip: opensslMissing,
  }, async () => {
    const { cert, key } = makeCertificate(temporaryFolder());
    // Nobody is too slow by another rule.
    const slow = ['--head-timeout', '5m', '--body-grace', '1h'];
    const service = await startService({ args: ['--tls-cert', cert, '--tls-key', key, ...slow] });
    const { url } = service;
    const port = Number(new URL(url).port);
    const silent = await openRawClient(url);
    const shaking = await openRawClient(url);
    // The beginning of a ClientHello.
    shaking.socket.write(Buffer.from([22, 3, 1, 2, 0, 1, 0]));
    const secure = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false });
    await once(secure, 'secureConnect');
    const unfinished = readAnswers(secure);
    secure.write(head);
    const underWay = request(`${url}/topics/t/streams/s/parameters/data`, {
      method: 'POST',
      rejectUnauthorized: false,
      headers: {
        authorization: `Bearer ${adminToken}`,
        'content-type': 'application/json',
        expect: '100-continue',
      },
    });
    underWay.flushHeaders();
    await once(underWay, 'continue');

    const stopped = service.stop();
    for (const client of [silent, shaking, unfinished]) assert.equal(await client.rest(), '');
    underWay.end('{"timestamps":[1],"numericValues":{"a":[1]}}');
    const [response] = (await once(underWay, 'response')) as [IncomingMessage];
    assert.equal(response.statusCode, 200);
    response.resume();
    assert.equal((await stopped).code, 0);
  });

  it('gives up a body that does not come, as at any time', async () => {
    const service = await startService({ args: ['--body-grace', '1s'] });
    const client = await openRawClient(service.url);
    client.socket.write(`${head}Content-Length: 9\r\nExpect: 100-continue\r\n\r\n`);
    assert.match(await client.answer(), /^HTTP\/1.1 100 /);
    const stopped = service.stop();
    assert.match(await client.answer(), /^HTTP\/1.1 503 .*the body comes too slowly/s);
    assert.equal((await stopped).code, 0);
  });
});
