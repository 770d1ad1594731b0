// Makes dist/ of what the compiler made of src/ (build/src/, from which the tests import), without what it left behind of files
// that are gone. The page in dist/web/ is made by another tool, and stays.
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiled = join(root, 'build/src');
const dist = join(root, 'dist');

const hasSource = (path) => existsSync(join(root, 'src', path.replace(/(\.d\.ts|\.js)$/, '.ts')));

for (const name of existsSync(dist) ? readdirSync(dist) : []) {
  if (name !== 'web') rmSync(join(dist, name), { recursive: true });
}
const files = readdirSync(compiled, { recursive: true, encoding: 'utf8' }).filter(
  (path) => /(\.d\.ts|\.js)$/.test(path) && hasSource(path),
);
for (const folder of new Set(files.map(dirname))) mkdirSync(join(dist, folder), { recursive: true });
for (const path of files) copyFileSync(join(compiled, path), join(dist, path));
