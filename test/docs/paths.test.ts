import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

/** The most characters of a cell: longer ones are several rows. */
const cellLength = 200;

/** The cells of each row of the tables of changes, without those that name the columns. */
function changeRows(): string[][] {
  const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const [, section = ''] = page.split('## Where to change what');
  return section
    .split('\n## ')[0]!
    .match(/^\| .*$/gm)!
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .filter(([change]) => change !== 'To change');
}

/** Files and folders that a row names: without `src/`, or beside the one before, as the page says. */
function filesOf(row: readonly string[]): string[] {
  let folder = '';
  return [...row.join(' ').matchAll(/`([\w./-]+(?:\.\w+|\/))`/g)]
    .map(([, name]) => name!)
    .filter((name) => /(?:\/|\.(?:tsx?|js|md|css|json))$/.test(name))
    .map((name) => {
      const places = [join('src', name), ...(name.includes('/') ? [] : [join(folder, name)]), name];
      const place = places.find((one) => existsSync(join(root, one)));
      assert.ok(place !== undefined, `there is no ${name}: ${row[0]}`);
      folder = name.endsWith('/') ? place : dirname(place);
      return place;
    });
}

describe('the tables of changes for contributors', () => {
  const rows = changeRows();

  it('name in each row a file to open first', () => {
    assert.ok(rows.length >= 100);
    for (const row of rows) assert.match(row[1]!, /`(src|web)\/[\w/-]+(\.tsx?|\/)`/, row[0]);
  });

  it('name files that are there', () => {
    for (const row of rows) assert.ok(filesOf(row).length > 0, row[0]);
  });

  it('have short cells', () => {
    for (const cell of rows.flat()) assert.ok(cell.length <= cellLength, cell);
  });

  it('lead to every room of the service and of the explorer', () => {
    const named = rows.flatMap(filesOf);
    for (const place of ['src', 'web/src', 'src/store/embedded', 'src/store/clickhouse']) {
      for (const { name } of readdirSync(join(root, place), { withFileTypes: true })) {
        const path = join(place, name);
        if (statSync(join(root, path)).isFile()) continue;
        assert.ok(
          named.some((file) => file.startsWith(`${path}/`)),
          `no row names a file of ${path}`,
        );
      }
    }
  });
});
