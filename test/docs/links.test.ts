import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../root.ts';
import { pages, readPage } from './markdown.ts';

describe('the links of the pages', () => {
  it('lead to files and headings that exist', () => {
    let checked = 0;
    for (const { page, line, target } of pages.flatMap((page) => readPage(page).links)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path = '', fragment] = target.split('#') as [string, string?];
      const file = path === '' ? page : normalize(join(dirname(page), path));
      assert.ok(existsSync(join(root, file)), `${page}:${line}: there is no ${file}`);
      if (fragment !== undefined) {
        assert.ok(
          readPage(file).anchors.has(fragment),
          `${page}:${line}: ${file} has no heading #${fragment}`,
        );
      }
      checked++;
    }
    assert.ok(checked > 50);
  });

  it('name no address of the web without https', () => {
    for (const { page, line, target } of pages.flatMap((page) => readPage(page).links)) {
      assert.doesNotMatch(target, /^http:/, `${page}:${line}`);
    }
  });
});

describe('the table of contents', () => {
  it('has every page', () => {
    const listed = (page: string) =>
      readPage(page).links.map(({ target }) => normalize(join(dirname(page), target.split('#')[0]!)));
    const known = new Set([...listed('docs/README.md'), ...listed('docs/decisions/README.md')]);
    for (const page of pages.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md')) {
      assert.ok(known.has(page), `docs/README.md does not lead to ${page}`);
    }
  });
});
