// `npm run dev`: compiles on every change and starts the service anew after each compilation that is good.
// Words after `--` go to the service: npm run dev -- --listen 127.0.0.1:9000
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const compiler = spawn(
  process.execPath,
  [
    path('../node_modules/typescript/bin/tsc'),
    '-p',
    path('../tsconfig.build.json'),
    '--watch',
    '--preserveWatchOutput',
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);

let service;

async function restart() {
  if (service !== undefined && service.exitCode === null && service.signalCode === null) {
    service.kill('SIGTERM');
    await once(service, 'exit');
  }
  service = spawn(process.execPath, [path('../dist/cli/pitwall.js'), 'serve', ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
}

let turn = Promise.resolve();
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    compiler.kill();
    await turn;
    if (service === undefined || service.exitCode !== null) return;
    if (signal === 'SIGTERM') service.kill(signal);
    await once(service, 'exit');
  });
}

for await (const line of createInterface({ input: compiler.stdout })) {
  console.log(line);
  if (/Found 0 errors/.test(line)) turn = turn.then(restart);
}
