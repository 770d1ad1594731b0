// Loaded first into each process of a run of all tests: threads run from their bundles, as those of the command do
// (scripts/bundle.js). They are of the same sources, and begin in a quarter of the processor time that their single modules
// take; hundreds begin in a run.
import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';
import workerThreads from 'node:worker_threads';

const modules = new URL('../../build/src/', import.meta.url).href;
const bundles = new URL('../../dist/bundle/', import.meta.url);

/** The bundle of a module that a thread begins with; the program itself where it is another. */
function bundleOf(program) {
  const path = String(program);
  if (!path.startsWith(modules)) return program;
  const name = path.slice(modules.length, -'.js'.length).replaceAll('/', '-');
  const bundle = new URL(`${name}.start.cjs`, bundles);
  if (!existsSync(bundle)) throw new Error(`${fileURLToPath(bundle)} is missing: npm run build makes it`);
  return bundle;
}

workerThreads.Worker = class extends workerThreads.Worker {
  constructor(program, options) {
    super(bundleOf(program), options);
  }
};
syncBuiltinESMExports();
