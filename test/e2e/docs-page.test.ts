import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { launchBrowser, browserMissing as skip } from './browser.ts';
import { adminToken, type RunningService, send, startService } from './service.ts';

async function openPage(service: RunningService) {
  const browser = await launchBrowser();
  after(() => browser.close());
  const tab = await (await browser.newContext()).newPage();
  const requested: string[] = [];
  const complaints: string[] = [];
  tab.on('request', (request) => requested.push(request.url()));
  tab.on('console', (message) => complaints.push(message.text()));
  tab.on('pageerror', (error) => complaints.push(error.message));
  await tab.goto(`${service.url}/docs`);
  return { tab, requested, complaints };
}

describe('the page at /docs', () => {
  it('needs no token and may load nothing from elsewhere', async () => {
    const { url } = await startService();
    const page = await send(url, '/docs', { token: null });
    assert.equal(page.status, 200);
    assert.match(String(page.headers['content-type']), /^text\/html/);
    assert.match(String(page.headers['content-security-policy']), /^default-src 'none'; script-src 'self';/);
    assert.doesNotMatch(page.text, /https?:/);
    for (const [, file] of page.text.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)) {
      const loaded = await send(url, `/${file}`, { token: null });
      assert.equal(loaded.status, 200, file);
      const again = await send(url, `/${file}`, {
        token: null,
        headers: { 'if-none-match': String(loaded.headers['etag']) },
      });
      assert.deepEqual([again.status, again.bytes.length], [304, 0], file);
    }
    for (const file of [
      'index.html',
      '..%2Fpackage.json',
      'package.json',
      'constructor',
      '__proto__',
      'toString',
    ]) {
      assert.equal((await send(url, `/docs/${file}`, { token: null })).status, 404, file);
    }
  });

  it('is on every address, for the calls of that address', async () => {
    const service = await startService({ args: ['--query-listen', '127.0.0.1:0'] });
    const query = /^pitwall .*query.* (http:\S+)$/m.exec(service.stdout())![1]!;
    assert.equal((await send(query, '/docs', { token: null })).status, 200);
    const { paths } = (await send(query, '/openapi.json')).json<{ paths: Record<string, unknown> }>();
    assert.ok(paths['/streams'] !== undefined && paths['/topics/{topic}/streams'] === undefined);
  });

  it('authorizes and calls, and shows and sends every digit of a time', { skip }, async () => {
    const service = await startService();
    const { tab, requested, complaints } = await openPage(service);
    await tab.locator('.btn.authorize').click();
    await tab.locator('.auth-container input').fill(adminToken);
    await tab.locator('.auth-btn-wrapper .authorize').click();
    await tab.locator('.auth-btn-wrapper .btn-done').click();
    const call = async (operation: string, body: string): Promise<string> => {
      const block = tab.locator(`#operations-${operation}`);
      await block.locator('.opblock-summary').click();
      await block.locator('.try-out__btn').click();
      await block.locator('textarea.body-param__text').fill(body);
      await block.locator('.execute').click();
      return block.locator('.live-responses-table tbody').first().innerText();
    };
    const written = '{"timestamps":[1591733989000000001],"numericValues":{"Speed":[1.5]}}';
    assert.match(await call('writer-postTopicStreamParametersData', written), /^200/);
    const shown = await call('query-postParametersData', '{"numericParameters":[{"parameterName":"Speed"}]}');
    assert.match(shown, /^200[\s\S]*"timestamps": \[\s+1591733989000000001\s+\]/);
    for (const url of requested) assert.ok(url.startsWith(`${service.url}/`), url);
    assert.deepEqual(complaints, []);
  });
});
