// `npm run dev`: compiles on every change below src/ and starts the service anew after each compilation that is good.
// Words after `--` go to the service: npm run dev -- --listen 127.0.0.1:9000
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const steps = [
  [path('../node_modules/typescript/bin/tsc'), '-p', path('../tsconfig.build.json')],
  [path('copy-compiled.js')],
];
const serve = [path('../dist/cli/pitwall.js'), 'serve', ...process.argv.slice(2)];
/** An editor writes a file in several steps, and a branch many files. */
const settleMs = 100;

const isRunning = (child) => child !== undefined && child.exitCode === null && child.signalCode === null;

let service;
let ending = false;

async function rebuild() {
  for (const step of steps) {
    const [code] = await once(spawn(process.execPath, step, { stdio: 'inherit' }), 'exit');
    if (code !== 0 || ending) return;
  }
  if (isRunning(service)) {
    service.kill('SIGTERM');
    await once(service, 'exit');
  }
  if (!ending) service = spawn(process.execPath, serve, { stdio: 'inherit' });
}

let work = rebuild();
let settled;
const watcher = watch(path('../src'), { recursive: true }, () => {
  clearTimeout(settled);
  settled = setTimeout(() => {
    work = work.then(rebuild);
  }, settleMs);
});

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    ending = true;
    watcher.close();
    clearTimeout(settled);
    // A terminal sends SIGINT to the service too, and a second one would cut its stop short.
    if (signal === 'SIGTERM' && isRunning(service)) service.kill(signal);
  });
}
