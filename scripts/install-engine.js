// Installs the ClickHouse engine that the tests run against (550 MB), unless the locked version is there already; without it
// they are skipped. Where
// its folder is a link to another checkout's, npm would empty that one first: then it is left alone.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = new URL('../test/clickhouse/', import.meta.url);
const read = (path) => JSON.parse(readFileSync(new URL(path, folder), 'utf8'));

const locked = Object.entries(read('package-lock.json').packages).filter(([path]) => path !== '');
const isInstalled = locked.every(([path, { version }]) => {
  const installed = `${path}/package.json`;
  return existsSync(new URL(installed, folder)) && read(installed).version === version;
});
if (!isInstalled) {
  const modules = lstatSync(new URL('node_modules', folder), { throwIfNoEntry: false });
  if (modules?.isSymbolicLink()) {
    process.stderr.write(
      'test/clickhouse/node_modules is a link, and what it leads to is not the locked version: install it there\n',
    );
    process.exit(1);
  }
  const { status } = spawnSync('npm', ['ci', '--prefix', fileURLToPath(folder)], { stdio: 'inherit' });
  if (status !== 0)
    process.stderr.write('the ClickHouse engine could not be installed: its tests are skipped\n');
}
