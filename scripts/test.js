// Runs the compiled tests with Node's own runner. Node.js 20 takes no patterns there and later ones no folders, so
// the files are listed here; arguments narrow them down to paths that contain one of them.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../build/test', import.meta.url));
const wanted = process.argv.slice(2);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.js'))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
  .sort()
  .map((name) => join(folder, name));
if (files.length === 0) {
  process.stderr.write(`no test has ${wanted.join(' or ')} in its path\n`);
  process.exit(1);
}
const { status } = spawnSync(process.execPath, ['--enable-source-maps', '--test', ...files], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
