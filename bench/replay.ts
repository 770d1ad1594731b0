import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { collect, createHttpRequests } from '../src/cli/http-requests.ts';
import { type Client, createClient, type Live } from '../src/client/client.ts';
import { percentiles, printTable, show } from './figures.ts';
import { startPitwall, token } from './pitwall.ts';

const help = `node build/bench/replay.js [--seconds N] [--rate HZ] [--channels N]

Replays a recording of rows of N channels (default 10) at HZ a second (default 100) with pitwall replay --times now, at
speed 1 and at speed 10, for N seconds each (default 10). A reader on the hub tells how much later than it was due
each row came to it: writer, sync to disk, hub and reader together. Beside it: how long the service takes to answer /healthz at the same
rate, without a row: what the machine holds up by itself. Nothing else should run on the machine.`;

const command = fileURLToPath(new URL('../../dist/cli/pitwall.js', import.meta.url));
const start = 1_700_000_000_000_000_000n;
const rowsPerRequest = 1000;

interface Recording {
  readonly channels: number;
  readonly rate: number;
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rate: { type: 'string', default: '100' },
    channels: { type: 'string', default: '10' },
    help: { type: 'boolean' },
  },
});
if (values.help === true) console.log(help);
else await bench(Number(values.seconds), { channels: Number(values.channels), rate: Number(values.rate) });

async function bench(seconds: number, recording: Recording): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'pitwall-bench-'));
  const system = await startPitwall(directory);
  const url = `http://127.0.0.1:${system.port}`;
  const client = createClient({ url, token });
  const live = client.live();
  const table = [
    ['speed', 'rows', 'p50 ms late', 'p99 ms late', 'most', 'within 5 ms', 'an answer, p50 / p99 ms'],
  ];
  try {
    for (const speed of [1, 10]) {
      const rows = seconds * speed * recording.rate;
      const stream = `speed-${speed}`;
      await record(client, stream, rows, recording);
      const late = await lateness(live, url, stream, speed, rows);
      const { p50, p99 } = percentiles(late);
      const most = late.reduce((a, b) => Math.max(a, b));
      const within = `${((100 * late.filter((ms) => Math.abs(ms) <= 5).length) / rows).toFixed(1)} %`;
      const answers = percentiles(await answerTimes(url, speed * recording.rate, seconds));
      const answer = `${show(answers.p50)} / ${show(answers.p99)}`;
      table.push([String(speed), String(rows), show(p50), show(p99), show(most), within, answer]);
    }
    printTable(table);
  } finally {
    await live.close();
    await system.stop();
    rmSync(directory, { recursive: true });
  }
}

async function record(
  client: Client,
  stream: string,
  rows: number,
  { channels, rate }: Recording,
): Promise<void> {
  const step = 1e9 / rate;
  for (let at = 0; at < rows; at += rowsPerRequest) {
    const indexes = Array.from({ length: Math.min(rowsPerRequest, rows - at) }, (_, i) => at + i);
    const column = (channel: number): [string, number[]] => [
      `channel ${channel}`,
      indexes.map((i) => Math.sin(i / 50 + channel)),
    ];
    await client.writeParameterData('recorded', stream, {
      timestamps: indexes.map((i) => start + BigInt(Math.round(i * step))),
      numericValues: Object.fromEntries(Array.from({ length: channels }, (_, channel) => column(channel))),
    });
  }
  await client.closeStream('recorded', stream);
}

/** Milliseconds by which each row came to a reader later than it was due. */
async function lateness(
  live: Live,
  url: string,
  stream: string,
  speed: number,
  rows: number,
): Promise<Float64Array> {
  const late = new Float64Array(rows);
  const packages = live.parameterData({ topic: 'replayed', streamId: stream });
  await new Promise<void>((resolve) => {
    const forget = live.onConnection(() => {
      forget();
      resolve();
    });
    // The connection of the first speed stands.
    if (speed !== 1) resolve();
  });
  const args = ['replay', '--topic', 'recorded', '--stream', stream, '--to-topic', 'replayed'];
  const child = spawn(
    process.execPath,
    [command, ...args, '--speed', String(speed), '--times', 'now', '--url', url, '--token', token],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  let count = 0;
  for await (const { timestamps } of packages) {
    const nowMs = performance.timeOrigin + performance.now();
    for (const due of timestamps) late[count++] = nowMs - Number(due) / 1e6;
    if (count >= rows) break;
  }
  await once(child, 'close');
  return late;
}

/** Milliseconds of requests without work, sent at a rate. */
async function answerTimes(url: string, rate: number, seconds: number): Promise<Float64Array> {
  const requests = createHttpRequests(new URL(url));
  const address = new URL('/healthz', url);
  const times = new Float64Array(rate * seconds);
  const start = performance.now();
  try {
    for (let i = 0; i < times.length; i++) {
      const wait = start + (i * 1000) / rate - performance.now();
      if (wait > 0) await pause(wait);
      const sent = performance.now();
      await collect(await requests.send(address, { method: 'GET', headers: {} }));
      times[i] = performance.now() - sent;
    }
  } finally {
    requests.close();
  }
  return times;
}
