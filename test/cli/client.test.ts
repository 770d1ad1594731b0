import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { createClient, serviceOf } from '../../src/cli/client.ts';
import { CommandError, UsageError } from '../../src/cli/command.ts';
import { nothing } from '../../src/cli/expected-answer.ts';

/** What is at an address where Pitwall is not. */
const other = createServer((request, response) => {
  response.writeHead(request.url === '/none' ? 404 : 200, { 'Content-Type': 'text/html' });
  response.end('<!DOCTYPE html>\n<h1>\u001b[2JIt works</h1>\n');
});
other.listen(0, '127.0.0.1');
await once(other, 'listening');
const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
after(() => other.close());

describe('the client of commands', () => {
  it('says in one line that what answers is not Pitwall', async () => {
    const client = createClient({ url, token: 'x' }, {});
    const says = (message: RegExp) => (error: unknown) =>
      error instanceof CommandError && message.test(error.message);
    const text = '<!DOCTYPE html> <h1> \\[2JIt works</h1>$';
    await assert.rejects(
      client.call('GET', '/x', undefined, nothing),
      says(new RegExp(`^what answers at ${url}/ is not Pitwall: it says ${text}`)),
    );
    await assert.rejects(client.call('GET', '/none', undefined, nothing), says(new RegExp(`^404 ${text}`)));
    client.close();
  });

  it('refuses an address with a user or a password, a query or a fragment, and repeats no password', () => {
    const refused = (address: string): string => {
      let said = '';
      assert.throws(
        () => serviceOf({ url: address, token: 'x' }, {}),
        (error: Error) => {
          said = error.message;
          return error instanceof UsageError;
        },
      );
      assert.doesNotMatch(said, /secret|\n/);
      return said;
    };
    for (const address of ['http://me:secret@host:8480', 'https://secret@host', 'http://:secret@host/base'])
      assert.match(refused(address), /^the address of the service has a user or a password.* --token/);
    for (const address of ['http://host/?token=secret', 'http://host/base#secret', 'http://host?secret'])
      assert.match(refused(address), /^the address of the service has a query or a fragment/);
    for (const address of [
      'me:secret@host:8480',
      'http://me:sec/secret@host',
      'ftp://me:secret@host',
      '//secret@h',
    ])
      assert.match(refused(address), /^the address of the service must be like http:\/\/127\.0\.0\.1:8480$/);
    assert.match(refused('host:8480'), /^'host:8480' is not an address such as/);
    assert.equal(serviceOf({ url: 'http://host/a@b', token: 'x' }, {}).url.pathname, '/a@b');
  });

  it('refuses a token that none can be, and does not repeat it', () => {
    for (const token of ['secret\n', 'my secret', 'sécret', 'secret\u0000'])
      assert.throws(
        () => serviceOf({ url, token }, {}),
        (error: Error) => error instanceof UsageError && !error.message.includes('cret'),
      );
  });
});
