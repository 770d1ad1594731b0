import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { firstMs } from './data.ts';
import { type Connection, openConnection, request } from './driver.ts';
import { percentiles, printTable } from './figures.ts';
import { pitwallGet, pitwallPost, pitwallQuery, pitwallWrite, serve, token } from './pitwall.ts';
import { peakMemoryOf, stopProcess } from './system.ts';

const help = `npm run build && npx tsc -p tsconfig.json && node build/bench/million.js [--scale F] [--only NAME] [--node-args ARGS]

Writes a million streams of two rows, in an order that is not that of their ids, then asks what concerns all of them
beside one writer, who writes ten rows every five milliseconds. Prints for each request how long it took, the
writer's median and longest wait beside it, and how much the memory of the process grew.
--scale 0.1 makes it a hundred thousand streams; --only picks one request; --node-args gives arguments to Node.js.`;

const topic = 'million';
const mean = { numericParameters: [{ parameterName: 'Level', aggregationType: 'Mean' }] };

/** What is asked, in this order: the last ones take the streams away. */
const questions: readonly { readonly name: string; readonly bytes: Buffer }[] = [
  { name: 'nothing', bytes: pitwallGet('/readyz') },
  {
    name: 'raw, limit 10',
    bytes: pitwallQuery({ topic, limit: 10, numericParameters: [{ parameterName: 'Level' }] }),
  },
  { name: 'mean of all', bytes: pitwallQuery({ topic, ...mean }) },
  {
    name: '/streams, page of 10',
    bytes: pitwallPost('/streams', { topic, paging: { index: 0, length: 10 } }),
  },
  {
    name: '/streams by name, page of 10',
    bytes: pitwallPost('/streams', {
      topic,
      ordering: [{ by: 'name', direction: 'Desc' }],
      paging: { index: 0, length: 10 },
    }),
  },
  {
    name: '/streams/models, page of 10',
    bytes: pitwallPost('/streams/models', { topic, paging: { index: 0, length: 10 } }),
  },
  { name: '/parameters', bytes: pitwallPost('/parameters', { topic }) },
  { name: '/events', bytes: pitwallPost('/events', { topic }) },
  { name: '/topics', bytes: pitwallPost('/topics', {}) },
  { name: 'soft delete', bytes: pitwallPost('/streams/delete', { topic }) },
  { name: 'restore', bytes: pitwallPost('/streams/restore', { topic }) },
  {
    name: 'range delete',
    bytes: pitwallPost('/parameters/data/delete', {
      topic,
      from: `${firstMs}000000`,
      to: `${firstMs + 999}000000`,
    }),
  },
  { name: 'hard delete', bytes: pitwallPost('/streams/delete', { topic, hardDelete: true }) },
];

const streamsOfBody = 20_000;

/** Bodies of line protocol with all streams. */
function* bodies(count: number): Generator<Buffer> {
  let lines: string[] = [];
  for (let i = 0; i < count; i++) {
    const id = `device-${String((i * 7919) % count).padStart(7, '0')}`;
    const time = firstMs + (i % 1000);
    lines.push(`${id} Level=${i % 977} ${time}\n${id} Level=${i % 613} ${time + 60_000}\n`);
    if (lines.length < streamsOfBody && i + 1 < count) continue;
    yield request(
      'POST',
      `/api/v2/write?bucket=${topic}&precision=ms`,
      { Authorization: `Token ${token}` },
      Buffer.from(lines.join('')),
    );
    lines = [];
  }
}

/** Writes ten rows every five milliseconds until it is stopped; gives the milliseconds that each write took. */
function beginWriter(connection: Connection): () => Promise<Float64Array> {
  const waits: number[] = [];
  let isStopped = false;
  let startMs = firstMs;
  const writing = (async () => {
    while (!isStopped) {
      const values = [Float64Array.from({ length: 10 }, (_, i) => i)];
      const payload = { stream: 'beside', startMs, stepMs: 1, firstParameter: 0, values };
      startMs += 10;
      const sent = performance.now();
      await connection.send(pitwallWrite(payload));
      const tookMs = performance.now() - sent;
      waits.push(tookMs);
      await sleep(Math.max(0, 5 - tookMs));
    }
  })();
  return async () => {
    isStopped = true;
    await writing;
    return Float64Array.from(waits);
  };
}

function residentBytes(child: ChildProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) * 1024;
}

/** Makes what the process takes now the peak from which the kernel counts. */
function forgetPeak(child: ChildProcess): void {
  writeFileSync(`/proc/${child.pid}/clear_refs`, '5');
}

async function ask(child: ChildProcess, port: number, bytes: Buffer, untilMs: number) {
  const [asking, writing] = [await openConnection(port), await openConnection(port)];
  const before = residentBytes(child);
  forgetPeak(child);
  const stop = beginWriter(writing);
  await sleep(200);
  const start = performance.now();
  const outcome = await asking.send(bytes).then(
    (answer) => answer.toString('utf8', 0, 60).replace(/\s+/g, ' '),
    (error: Error) => error.message.slice(0, 90),
  );
  const tookMs = performance.now() - start;
  await sleep(untilMs);
  const waits = await stop();
  asking.close();
  writing.close();
  const { p50 } = percentiles(waits);
  return { tookMs, p50, longest: Math.max(...waits), grownMb: (peakMemoryOf(child) - before) / 1e6, outcome };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      scale: { type: 'string', default: '1' },
      only: { type: 'string' },
      'node-args': { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const count = Math.round(1_000_000 * Number(values.scale));
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-million-'));
  const { child, port } = await serve(
    ['--data-dir', join(folder, 'data')],
    values['node-args'].split(' ').filter(Boolean),
  );
  try {
    const connection = await openConnection(port);
    for (const body of bodies(count)) await connection.send(body);
    connection.close();
    // What is in memory becomes parts, and small parts are merged.
    await sleep(15_000);
    const rows: string[][] = [];
    for (const { name, bytes } of questions) {
      if (values.only !== undefined && values.only !== name) continue;
      const { tookMs, p50, longest, grownMb, outcome } = await ask(child, port, bytes, 300);
      const shown = [tookMs.toFixed(0), p50.toFixed(1), longest.toFixed(0), grownMb.toFixed(0)];
      rows.push([name, ...shown]);
      console.log(`${name}: ${shown.join(' ')} | ${outcome}`);
      await sleep(1000);
    }
    printTable([['request', 'ms', 'write p50, ms', 'longest, ms', 'MB more'], ...rows]);
  } finally {
    await stopProcess(child);
    rmSync(folder, { recursive: true });
  }
}

await main();
