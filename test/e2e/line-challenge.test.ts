import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { launchBrowser, browserMissing as skip } from './browser.ts';
import { adminToken, send, startService, temporaryFolder } from './service.ts';

/** What a program says; undefined, and a skipped test, where the machine has none of it. */
async function said(t: TestContext, program: string, args: readonly string[]): Promise<string | undefined> {
  try {
    return (await promisify(execFile)(program, args)).stdout;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    t.skip(`there is no ${program}`);
    return undefined;
  }
}

describe('a client that sends its password when it is asked for it', async () => {
  const service = await startService();
  const { url } = service;
  const databases =
    '{"results":[{"statement_id":0,"series":[{"name":"databases","columns":["name"],"values":[["asked"]]}]}]}\n';
  await send(url, '/write?db=asked', { body: 'm v=0 0' });

  const values = async (): Promise<(number | null)[]> => {
    const body = '{"topic":"asked","numericParameters":[{"parameterName":"v"}]}';
    const reply = await send(url, '/parameters/data', { body });
    return reply.json<{ numericValues: { v: (number | null)[] } }>().numericValues.v;
  };

  it('is let in (curl --anyauth)', async (t) => {
    const status = await said(t, 'curl', [
      ...['-sS', '--anyauth', '-u', `any:${adminToken}`, '-w', '%{http_code}'],
      ...['--data-binary', 'm v=1 1', `${url}/write?db=asked`],
    ]);
    if (status === undefined) return;
    assert.equal(status, '204');
    assert.deepEqual((await values()).slice(0, 2), [0, 1]);
  });

  it('is let in (wget)', async (t) => {
    const args = ['-q', '-O', '-', '--user=any', `--password=${adminToken}`, `${url}/query?q=SHOW+DATABASES`];
    const found = await said(t, 'wget', args);
    if (found !== undefined) assert.equal(found, databases);
  });

  it('is let in (urllib of Python, with a password manager)', async (t) => {
    const program = `
from urllib import request
known = request.HTTPPasswordMgrWithDefaultRealm()
known.add_password(None, '${url}/', 'any', '${adminToken}')
opener = request.build_opener(request.HTTPBasicAuthHandler(known))
print(opener.open('${url}/query/?q=SHOW+DATABASES').read().decode(), end='')
print(opener.open('${url}/api/v2/write?bucket=asked', b'm v=2 2').status)
`;
    const found = await said(t, 'python3', ['-c', program]);
    if (found !== undefined) assert.equal(found, `${databases}204\n`);
  });

  it('is told no more than once where the password is wrong', async (t) => {
    const args = [
      '-sS',
      '--anyauth',
      '-u',
      'any:wrong',
      '-w',
      '%{http_code}',
      '-o',
      '-',
      `${url}/query?q=SHOW+DATABASES`,
    ];
    const found = await said(t, 'curl', args);
    if (found !== undefined) assert.match(found, /^\{"error":"this token is not known.*\}401$/);
  });

  it('is any that shows no token and is no script of a page', async () => {
    const basic = 'Basic realm="Pitwall", charset="UTF-8", Bearer';
    for (const [headers, challenge] of [
      [{}, basic],
      [{ authorization: `Basic ${Buffer.from('any:wrong').toString('base64')}` }, basic],
      [{ 'sec-fetch-mode': 'navigate' }, basic],
      [{ authorization: 'Bearer wrong' }, 'Bearer'],
      [{ authorization: 'Token any:wrong' }, 'Bearer'],
      [{ 'sec-fetch-mode': 'cors' }, 'Bearer'],
      [{ 'sec-fetch-mode': 'same-origin' }, 'Bearer'],
      [{ origin: 'http://elsewhere' }, 'Bearer'],
    ] as const) {
      for (const [path, body] of [['/query?q=SHOW+DATABASES'], ['/write?db=asked', 'm v=1 1']] as const) {
        const reply = await send(url, path, { token: null, headers, ...(body !== undefined && { body }) });
        assert.deepEqual(
          [reply.status, reply.headers['www-authenticate']],
          [401, challenge],
          JSON.stringify(headers),
        );
      }
    }
    // Basic is not taken elsewhere, and is not asked for.
    const api = await send(url, '/topics', { body: '{}', token: null });
    assert.deepEqual([api.status, api.headers['www-authenticate']], [401, 'Bearer']);
  });
});

describe('a script of a page', { skip }, async () => {
  const { url } = await startService();

  it('gets its 401 at once, and the browser asks nobody for a password', async () => {
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(url);
      // The browser tells of each time it would open its window for a password, which nobody sees here.
      const session = await page.context().newCDPSession(page);
      let asked = 0;
      // What a page that is left has under way is answered by nobody.
      const left = (): void => {};
      session.on('Fetch.requestPaused', ({ requestId }) => {
        session.send('Fetch.continueRequest', { requestId }).catch(left);
      });
      session.on('Fetch.authRequired', ({ requestId }) => {
        asked++;
        const authChallengeResponse = { response: 'CancelAuth' } as const;
        session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(left);
      });
      await session.send('Fetch.enable', { handleAuthRequests: true });
      const statuses = await page.evaluate(`(async () => {
        const ask = async (path, options) => (await fetch(path, { credentials: 'include', ...options })).status;
        const byRequest = (path) => new Promise((resolve) => {
          const request = new XMLHttpRequest();
          request.open('GET', path);
          request.onloadend = () => resolve(request.status);
          request.send();
        });
        return [
          await ask('/query?q=SHOW+DATABASES'),
          await ask('/write?db=a', { method: 'POST', body: 'm v=1 1' }),
          await ask('/write?db=a', { method: 'POST', body: 'm v=1 1', headers: { Authorization: 'Token wrong' } }),
          await byRequest('/query?q=SHOW+DATABASES'),
          await ask('/topics', { method: 'POST', headers: { Authorization: 'Bearer wrong' } }),
        ];
      })()`);
      assert.deepEqual([statuses, asked], [[401, 401, 401, 401, 401], 0]);
      // Who opens an address is asked.
      await page.goto(`${url}/query?q=SHOW+DATABASES`).catch(() => undefined);
      assert.equal(asked, 1);
    } finally {
      await browser.close();
    }
  });

  it('may write from the page of another origin', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'page.html');
    writeFileSync(file, '<!doctype html><title>A page</title>');
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(`file://${file}`);
      const status = await page.evaluate(`fetch('${url}/write?db=page', {
        method: 'POST', body: 'm v=1 1', headers: { Authorization: 'Token ${adminToken}' },
      }).then((reply) => reply.status)`);
      assert.equal(status, 204);
    } finally {
      await browser.close();
    }
  });
});
