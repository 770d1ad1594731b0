// Keeps what Node.js compiles of the bundle in dist/bundle/cache (src/compiled/): a start need not compile it again. The
// service runs here as it will: it is started on a folder of its own, takes some requests, and is stopped. What it compiled
// is kept as it ends, also of its threads. It is of this version of Node.js; others keep their own after a first start.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../dist/cli/pitwall.js', import.meta.url));
const token = 'only-for-a-service-that-ends-at-once';
// Another folder of packages, or settings, are not for this service.
const kept = Object.entries(process.env).filter(([name]) => !/^(PITWALL_|NODE_OPTIONS$)/.test(name));
const env = { ...Object.fromEntries(kept), PITWALL_TOKEN: token };

/** So many rows that a thread reads them. */
const rows = 100_000;
const writes = 10;

const agent = new Agent({ keepAlive: true });

if (spawnSync(process.execPath, [command, '--version'], { env, stdio: 'ignore' }).status !== 0)
  throw new Error('the command does not run');
const folder = mkdtempSync(join(tmpdir(), 'pitwall-'));
try {
  await runService();
} catch (error) {
  // It keeps it after its first start, then.
  console.warn(`what the service compiles could not be kept: ${error.message}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function runService() {
  const args = [command, 'serve', '--data-dir', folder, '--listen', '127.0.0.1:0', '--log-level', 'error'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    await useService(await addressOf(child));
    agent.destroy();
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`the service ended with ${code}`);
}

async function addressOf(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /listening on (\S+)$/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error('the service does not run');
}

/** With no headers but the needed ones, as most clients ask: the way is another one for what `fetch` adds. */
function post(address, path, body) {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const text = JSON.stringify(body);
    const asking = request(`${address}${path}`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume().on('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error(path))));
    });
    asking.on('error', reject).setHeader('Content-Length', Buffer.byteLength(text));
    asking.end(text);
  });
}

async function useService(address) {
  const ask = (path, body) => post(address, path, body);
  const parameter = [{ parameterName: 'Speed' }];
  for (let write = 0; write < writes; write++) {
    const timestamps = Array.from({ length: rows / writes }, (_, i) => write * rows + i);
    await ask('/topics/t/streams/s/parameters/data', {
      timestamps,
      numericValues: { Speed: timestamps.map((time) => time / 10) },
    });
  }
  await ask('/streams', {});
  await ask('/parameters/data', { streamIds: ['s'], numericParameters: parameter, limit: 1 });
  await ask('/parameters/data', { streamIds: ['s'], numericParameters: parameter });
  const aggregated = [{ parameterName: 'Speed', aggregationType: 'mean' }];
  await ask('/parameters/data', { streamIds: ['s'], numericParameters: aggregated });
  // Some rows, as they are and in groups, are read by the thread that takes requests.
  for (const aggregationType of ['None', 'Max', 'Mean', 'Last']) {
    const some = { numericParameters: [{ parameterName: 'Speed', aggregationType }], from: 0, to: 500 };
    const groupByTime = aggregationType === 'None' ? undefined : { timeBucketDuration: 10 };
    await ask('/parameters/data', { streamIds: ['s'], topic: 't', ...some, groupByTime });
  }
}
