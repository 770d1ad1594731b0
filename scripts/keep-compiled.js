// Keeps what Node.js compiles of the bundle in dist/bundle/cache, where the command looks for it: a start need not compile it
// again. Node.js checks what it finds there against its own version and the files; it has folders for each version and user.
// Before 22.1 there is no such thing, and nothing is done.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const bundle = new URL('../dist/bundle/', import.meta.url);
if (module.enableCompileCache !== undefined) {
  const command = fileURLToPath(new URL('../dist/cli/pitwall.js', import.meta.url));
  const { status } = spawnSync(process.execPath, [command, '--version'], { stdio: 'ignore' });
  if (status !== 0) throw new Error('the command does not run');
  module.enableCompileCache(fileURLToPath(new URL('cache', bundle)));
  const main = readdirSync(bundle).find((file) => /^main-.*\.js$/.test(file));
  // It does nothing but define the service. What was compiled is written when this process ends.
  await import(new URL(main, bundle).href);
}
