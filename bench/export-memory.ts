import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { stopProcess } from './system.ts';

/**
 * What a large export does to the service: how much its process grows while one client takes all rows of one stream,
 * and how long writes of one row take meanwhile, beside the same writes with nothing else going on. Each form has a
 * process of its own, so that none profits from the one before.
 */
const { values } = parseArgs({
  options: {
    samples: { type: 'string', default: '50000000' },
    parameters: { type: 'string', default: '10' },
    forms: { type: 'string', default: 'csv,parquet,arrow' },
  },
});
const samples = Number(values.samples);
const parameters = Number(values.parameters);
const rows = Math.ceil(samples / parameters);

const command = fileURLToPath(new URL('../../dist/cli/pitwall.js', import.meta.url));
const token = 'the-token-of-the-benchmarks';
const startMs = 1_700_000_000_000;
const stepMs = 10;
const batchRows = 5000;
const names = Array.from({ length: parameters }, (_, i) => `p${i}`);
const mediaTypes: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  parquet: 'application/vnd.apache.parquet',
  arrow: 'application/vnd.apache.arrow.stream',
};

interface Service {
  readonly memory: () => number;
  send(path: string, body: string, accept?: string): Promise<IncomingMessage>;
  stop(): Promise<void>;
}

async function start(dataDir: string): Promise<Service> {
  const child = spawn(
    process.execPath,
    [command, 'serve', '--data-dir', dataDir, '--listen', '127.0.0.1:0'],
    {
      env: { ...process.env, PITWALL_TOKEN: token },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', () => reject(new Error('pitwall did not start')));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const match = /^pitwall listening on http:\/\/127\.0\.0\.1:(\d+)$/.exec(line);
      if (match !== null) resolve(Number(match[1]));
    });
  });
  const agent = new Agent({ keepAlive: true });
  return {
    memory: () =>
      Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) / 1024,
    async send(path, body, accept = '*/*') {
      const headers = {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Accept: accept,
      };
      const outgoing = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent });
      outgoing.end(body);
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
      if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
      return answer;
    },
    async stop() {
      agent.destroy();
      await stopProcess(child);
    },
  };
}

async function bytesOf(answer: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const chunk of answer) bytes += (chunk as Buffer).length;
  return bytes;
}

/** Random walks with two decimals, like most telemetry. */
async function load(service: Service): Promise<void> {
  const walk = names.map(() => 100);
  for (let from = 0; from < rows; from += batchRows) {
    const count = Math.min(batchRows, rows - from);
    const times = Array.from({ length: count }, (_, i) => `${startMs + (from + i) * stepMs}000000`);
    const columns = names.map((name, p) => {
      const cells = Array.from({ length: count }, () => {
        walk[p] = Math.round((walk[p]! + Math.random() - 0.5) * 100) / 100;
        return walk[p];
      });
      return `"${name}":[${cells.join(',')}]`;
    });
    const body = `{"timestamps":[${times.join(',')}],"numericValues":{${columns.join(',')}}}`;
    await bytesOf(await service.send('/topics/bench/streams/large/parameters/data', body));
  }
}

/** Milliseconds of each write of one row, one every 20 ms, while something else runs. */
async function writesDuring(service: Service, work: Promise<unknown>): Promise<number[]> {
  let isDone = false;
  const finished = work.finally(() => {
    isDone = true;
  });
  const times: number[] = [];
  while (!isDone) {
    const body = `{"timestamps":[${Date.now()}000000],"numericValues":{"x":[1]}}`;
    const begin = performance.now();
    await bytesOf(await service.send('/topics/bench/streams/beside/parameters/data', body));
    times.push(performance.now() - begin);
    await sleep(20);
  }
  await finished;
  return times.sort((a, b) => a - b);
}

function percentiles(times: readonly number[]): string {
  const at = (part: number): string =>
    times[Math.min(times.length - 1, Math.floor(times.length * part))]!.toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms (${times.length} writes)`;
}

async function measure(dataDir: string, form: string): Promise<void> {
  const service = await start(dataDir);
  const query = {
    streamIds: ['large'],
    numericParameters: names.map((parameterName) => ({ parameterName })),
  };
  const type = mediaTypes[form]!;
  // The code of the form is loaded and warm before the clock starts.
  await bytesOf(await service.send('/parameters/data', JSON.stringify({ ...query, limit: 20_000 }), type));
  const alone = await writesDuring(service, sleep(5000));
  const before = service.memory();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, service.memory());
  }, 50);
  const begin = performance.now();
  let bytes = 0;
  const beside = await writesDuring(
    service,
    service.send('/parameters/data', JSON.stringify(query), type).then(async (answer) => {
      bytes = await bytesOf(answer);
    }),
  );
  clearInterval(watch);
  const seconds = (performance.now() - begin) / 1000;
  console.log(
    `${form}: ${(rows * parameters) / 1e6} M samples, ${(bytes / 1e6).toFixed(0)} MB in ${seconds.toFixed(1)} s\n` +
      `  memory ${before.toFixed(0)} MB before, at most ${peak.toFixed(0)} MB: +${(peak - before).toFixed(0)} MB\n` +
      `  writes alone:  ${percentiles(alone)}\n  writes beside: ${percentiles(beside)}`,
  );
  await service.stop();
}

const dataDir = mkdtempSync(join(tmpdir(), 'pitwall-export-'));
try {
  const loading = await start(dataDir);
  await load(loading);
  await loading.stop();
  for (const form of values.forms.split(',')) await measure(dataDir, form);
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
