// Compiles what tests need: the sources and tests always, the command (dist/) and the page of it where a chosen file, or what
// it imports, uses them, and where one of their sources is newer than what was made of it last.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** What a test names that needs the command, or files of dist/. */
const command = /['"`/]dist[/'"`]|import\(.*['"]pitwall\b/;
/** What a test imports that needs the page. */
const page = /\/browser\.ts'|dist\/web/;

/**
 * @param paths test files, from the folder test/ and without their ending
 * @param isAll whether all is needed, whatever they use
 */
export function buildFor(root, paths, isAll) {
  const texts = isAll ? [] : textsOf(paths.map((path) => join(root, 'test', `${path}.test.ts`)));
  const uses = (pattern) => isAll || texts.some((text) => pattern.test(text));
  run(root, 'tsc -b');
  const needsPage = uses(page);
  if (!needsPage && !uses(command)) return;
  const pageIsOld = isOlder(root, 'dist/web/index.html', ['web', 'src']);
  if (needsPage && pageIsOld) run(root, 'vite build web --logLevel warn');
  if (isOlder(root, 'dist/bundle/cache', ['src', 'scripts', 'package-lock.json']))
    run(root, 'npm run bundle');
}

function run(root, script) {
  const { status } = spawnSync(script, {
    cwd: root,
    shell: true,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` },
  });
  if (status !== 0) process.exit(1);
}

/** The texts of the files and of all that they import from test/. */
function textsOf(files) {
  const texts = new Map();
  const left = [...files];
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (texts.has(file) || !existsSync(file)) continue;
    const text = readFileSync(file, 'utf8');
    texts.set(file, text);
    for (const [, path] of text.matchAll(/from '(\.[^']+)'/g)) {
      const imported = resolve(dirname(file), path);
      if (!imported.includes('/src/')) left.push(imported);
    }
  }
  return [...texts.values()];
}

/** Whether one of the sources changed after this was made. */
function isOlder(root, made, sources) {
  const path = join(root, made);
  if (!existsSync(path)) return true;
  const { mtimeMs } = statSync(path);
  return sources.some((source) => newest(join(root, source)) > mtimeMs);
}

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  const times = readdirSync(path).map((name) => newest(join(path, name)));
  return Math.max(stat.mtimeMs, ...times);
}
