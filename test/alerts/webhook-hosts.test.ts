import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { webhookHosts } from '../../src/alerts/webhook-hosts.ts';
import { createResolve } from '../../src/ingest/webhooks/resolve.ts';
import { allowedHosts } from '../../src/setting-values.ts';

const hostsOf = (text: string) => webhookHosts(allowedHosts(text));
const allows = (list: string, url: string) => hostsOf(list).allows(new URL(url));

describe('the hosts that webhooks may call', () => {
  it('are those that the operator named, with the port where one was named', () => {
    assert.equal(hostsOf('').isNone, true);
    assert.equal(allows('', 'https://a.example/'), false);
    assert.equal(allows('a.example', 'https://a.example/x'), true);
    assert.equal(allows('A.example', 'http://a.EXAMPLE:8080/'), true);
    assert.equal(allows('a.example:8080', 'http://a.example:8080/'), true);
    assert.equal(allows('a.example:8080', 'http://a.example/'), false);
    assert.equal(allows('a.example:443', 'https://a.example/'), true);
    assert.equal(allows('a.example', 'https://b.a.example/'), false);
    assert.equal(allows('a.example', 'https://a.example.b/'), false);
    assert.equal(allows('127.0.0.1', 'http://2130706433/'), true);
    assert.equal(allows('::1', 'http://[0:0::1]:9/'), true);
    assert.equal(allows('[::1]:9', 'http://[::1]:8/'), false);
    assert.equal(allows('10.0.0.0/8', 'http://10.1.2.3/'), true);
    assert.equal(allows('10.0.0.0/8', 'http://11.1.2.3/'), false);
    assert.equal(allows('10.0.0.0/8', 'http://ten.example/'), false);
  });

  it('are at private addresses only where these are named too', async () => {
    const resolved = (list: string, url: string, ...addresses: string[]) =>
      createResolve(hostsOf(list), async () => addresses.map((address) => ({ address })))(new URL(url));
    const refused = /private address, which --webhook-allow does not name/;
    const hidden = [
      '127.0.0.1',
      '10.0.0.1',
      '172.16.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      '0.0.0.0',
      '::1',
      '::',
      'fe80::1%eth0',
      'fd00::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
    ];
    for (const address of hidden)
      await assert.rejects(resolved('a.example', 'http://a.example/', address), refused, address);
    const open = ['93.184.216.34', '2606:2800:220:1::1'];
    assert.deepEqual(await resolved('a.example', 'http://a.example/', ...hidden, ...open), open);
    assert.deepEqual(await resolved('a.example,10.0.0.1', 'http://a.example/', '10.0.0.1'), ['10.0.0.1']);
    assert.deepEqual(await resolved('a.example,10.0.0.0/8', 'http://a.example/', '10.9.9.9'), ['10.9.9.9']);
    await assert.rejects(resolved('a.example,10.0.0.1:81', 'http://a.example/', '10.0.0.1'), refused);
    assert.deepEqual(await resolved('localhost', 'http://localhost/', '::1', '127.0.0.1'), [
      '::1',
      '127.0.0.1',
    ]);
    await assert.rejects(resolved('localhost', 'http://localhost/', '10.0.0.1'), refused);
    assert.deepEqual(await resolved('127.0.0.1', 'http://127.0.0.1/'), ['127.0.0.1']);
    await assert.rejects(resolved('a.example', 'http://a.example/'), /no address/);
  });

  it('are looked up a few at a time, each once', async () => {
    let asked = 0;
    let most = 0;
    let underWay = 0;
    const resolve = createResolve(hostsOf('a.example'), async () => {
      asked++;
      most = Math.max(most, ++underWay);
      await new Promise((done) => setImmediate(done));
      underWay--;
      return [{ address: '93.184.216.34' }];
    });
    const names = Array.from({ length: 10 }, (_, i) => new URL(`http://h${i}.example/`));
    await Promise.all([...names, ...names].map(resolve));
    assert.equal(asked, 10);
    assert.equal(most, 2);
  });
});
