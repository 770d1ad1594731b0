import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../root.ts';
import { pages, readPage } from './markdown.ts';

/** The changelog says what was; files that it names may be gone. */
const current = pages.filter((page) => page !== 'CHANGELOG.md');
const code = current.flatMap((page) => readPage(page).code);

const folders = ['src', 'test', 'web', 'bench', 'docs', 'examples', 'scripts', 'packaging', '.ci'];
const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.includes('node_modules'))
    .map((file) => `/${join(folder, file)}`),
);
const isThere = (path: string) => files.some((file) => file.endsWith(`/${path}`));

describe('what the pages name', () => {
  it('from the root of the project exists', () => {
    let checked = 0;
    for (const { page, line, text } of code) {
      const isPath = /^[\w.-]+(\/[\w.-]+)*\/?$/.test(text) && folders.includes(text.split('/')[0]!);
      if (!isPath || !text.includes('/')) continue;
      assert.ok(existsSync(join(root, text)), `${page}:${line}: there is no ${text}`);
      checked++;
    }
    assert.ok(checked > 40, `${checked} paths`);
  });

  it('by the name or the end of the path of a source file exists', () => {
    let checked = 0;
    for (const { page, line, text } of code) {
      if (!/^(\.\.\/)*[\w/-]+(\.test)?\.tsx?$/.test(text)) continue;
      assert.ok(isThere(text.replaceAll('../', '')), `${page}:${line}: there is no ${text}`);
      checked++;
    }
    assert.ok(checked > 80, `${checked} files`);
  });

  it('as a command of npm or a compiled program exists', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Readonly<Record<string, string>>;
    };
    let checked = 0;
    for (const page of current) {
      const text = readFileSync(join(root, page), 'utf8');
      for (const [command, name] of text.matchAll(/npm run ([\w:-]+)/g)) {
        assert.ok(scripts[name!] !== undefined, `${page}: there is no ${command}`);
        checked++;
      }
      for (const [program, name] of text.matchAll(/build\/([\w/.-]+)\.js/g)) {
        assert.ok(isThere(`${name}.ts`), `${page}: ${program} is compiled of nothing`);
        checked++;
      }
    }
    assert.ok(checked > 20, `${checked} commands`);
  });
});

describe('the table of changes for contributors', () => {
  it('names in each row a file to open first', () => {
    const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
    const [, section = ''] = page.split('## Where to change what');
    const rows = section
      .split('\n## ')[0]!
      .match(/^\| .*$/gm)!
      .slice(1);
    assert.ok(rows.length >= 10);
    for (const row of rows) assert.match(row.split('|')[2]!, /`(src|web)\/[\w/-]+(\.tsx?|\/)`/, row);
  });
});
