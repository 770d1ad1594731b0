import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Call } from '../../src/http/route.ts';
import { explorer } from '../../src/http/routes/explorer.ts';

const folder = mkdtempSync(join(tmpdir(), 'pitwall-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, 'assets'));
const script = 'fetch("./streams")';
const page = `<!doctype html><script>${script}</script><script src="./assets/index-abc.js"></script>`;
writeFileSync(join(folder, 'index.html'), page);
writeFileSync(join(folder, 'assets/index-abc.js'), 'export {};');
writeFileSync(join(folder, 'assets/index-abc.js.map'), '{}');

describe('the routes of the explorer', () => {
  const routes = explorer(folder);
  const get = async (path: string, ifNoneMatch?: string) => {
    const route = routes.find((candidate) => candidate.path === path);
    assert.ok(route, `there is no ${path}`);
    const answer = await route.handle({ ifNoneMatch } as Call);
    assert.ok(answer);
    return answer;
  };

  it('are the files of the page that browsers need, without a token', () => {
    assert.deepEqual(routes.map(({ path }) => path).sort(), ['/', '/assets/index-abc.js']);
    assert.ok(routes.every(({ scope, method }) => scope === undefined && method === 'GET'));
  });

  it('allow scripts, styles and connections of the service alone', async () => {
    const policyOf = async (path: string) => String((await get(path)).headers?.['Content-Security-Policy']);
    assert.match(await policyOf('/assets/index-abc.js'), /script-src 'self'(;|$)/);
    const { headers = {} } = await get('/');
    const policy = await policyOf('/');
    assert.match(policy, /default-src 'none'/);
    const hash = createHash('sha256').update(script).digest('base64');
    assert.ok(policy.includes(`; script-src 'self' 'sha256-${hash}';`), policy);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe|\*/);
    assert.equal(headers['Referrer-Policy'], 'no-referrer');
  });

  it('keep what has a hash in its name for good, and ask again for the page', async () => {
    const page = await get('/');
    const script = await get('/assets/index-abc.js');
    assert.equal(page.headers?.['Cache-Control'], 'no-cache');
    assert.match(String(script.headers?.['Cache-Control']), /immutable/);
    const again = await get('/', String(page.headers?.['ETag']));
    assert.equal(again.status, 304);
    assert.equal(again.chunks, undefined);
  });

  it('are none where the page was not built', () => {
    assert.deepEqual(explorer(join(folder, 'nowhere')), []);
  });
});
