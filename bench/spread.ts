import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { load, openConnection, request } from './driver.ts';
import { printTable, show } from './figures.ts';
import { serve, token } from './pitwall.ts';
import { median, seededRandom } from './random.ts';
import { cpuSecondsOf, stopProcess } from './system.ts';

/**
 * Rows over ten years, in payloads of 1000 rows of one parameter: in order of time; each payload over all ten years;
 * each row at a random time. Of each: parts before and after merging, bytes a value, and the processor time of writing
 * and merging, of a start, of a Count of all, of the rows of one hour.
 */
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '5000000' },
    streams: { type: 'string', default: '20' },
    shapes: { type: 'string', default: 'ordered,spread,random' },
  },
});
const rowCount = Number(values.rows);
const streamCount = Number(values.streams);
const rowsPerPayload = 1000;
const firstMs = 1_450_000_000_000;
const yearsMs = 315_576_000_000;
const hourMs = 3_600_000;

type Shape = 'ordered' | 'spread' | 'random';

/** The times (ms) of a payload, and whatever order they have. */
function timesOf(shape: Shape, payload: number, payloads: number, random: () => number): number[] {
  const rows = Array.from({ length: rowsPerPayload }, (_, row) => row);
  if (shape === 'random') return rows.map(() => firstMs + Math.floor(random() * yearsMs));
  const step = yearsMs / rowsPerPayload;
  // Streams take turns, so that payloads of several of them have the same times.
  const place = payload / payloads;
  return rows.map((row) =>
    Math.floor(
      shape === 'spread'
        ? firstMs + (row + place) * step
        : firstMs + (place + row / rowsPerPayload / (payloads / streamCount)) * yearsMs,
    ),
  );
}

function requestsOf(shape: Shape): Buffer[] {
  const random = seededRandom(3);
  const payloads = Math.ceil(rowCount / rowsPerPayload);
  return Array.from({ length: payloads }, (_, payload) => {
    const times = timesOf(shape, payload - (payload % streamCount), payloads, random);
    const timestamps = times.map((ms) => `${ms}000000`);
    const column = times.map(() => Math.round(random() * 1e5) / 1000);
    const body = `{"timestamps":[${timestamps}],"numericValues":{"p0":[${column}]}}`;
    return post(`/topics/bench/streams/stream-${payload % streamCount}/parameters/data`, body);
  });
}

function post(path: string, body: string): Buffer {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  return request('POST', path, headers, Buffer.from(body));
}

interface Measured {
  readonly cpuSeconds: number;
  readonly partsWritten: number;
  readonly parts: number;
  readonly bytes: number;
  readonly startSeconds: number;
  /** Processor time of the service for each question, ms. */
  readonly countMs: number;
  readonly hourMs: number;
}

async function measure(shape: Shape): Promise<Measured> {
  const directory = mkdtempSync(join(tmpdir(), 'pitwall-spread-'));
  const storeArgs = ['--data-dir', directory];
  const parts = join(directory, 'parts');
  try {
    let { child, port } = await serve(storeArgs);
    await load(port, requestsOf(shape), 4);
    const partsWritten = readdirSync(parts).length;
    await settled(parts);
    const cpuSeconds = cpuSecondsOf(child);
    await stopProcess(child);
    ({ child, port } = await serve(storeArgs));
    await settled(parts);
    await stopProcess(child);
    const starts: number[] = [];
    for (let i = 0; i < 3; i++) {
      ({ child, port } = await serve(storeArgs));
      starts.push(cpuSecondsOf(child));
      if (i < 2) await stopProcess(child);
    }
    const cpuMs = () => 1000 * cpuSecondsOf(child);
    // What a first read costs besides is the same for all shapes.
    await countAll(port, shape, 5);
    const begin = cpuMs();
    await countAll(port, shape, counts);
    const between = cpuMs();
    await readHours(port);
    const end = cpuMs();
    await stopProcess(child);
    const names = readdirSync(parts);
    const bytes = names.reduce((sum, name) => sum + statSync(join(parts, name)).size, 0);
    return {
      cpuSeconds,
      partsWritten,
      parts: names.length,
      bytes: bytes / rowCount,
      startSeconds: median(starts),
      countMs: (between - begin) / counts,
      hourMs: (end - between) / hours,
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const counts = 20;
const hours = 200;

async function countAll(port: number, shape: Shape, times: number): Promise<void> {
  const connection = await openConnection(port);
  for (let i = 0; i < times; i++) {
    const body = '{"numericParameters":[{"parameterName":"p0","aggregationType":"Count"}]}';
    const answer = JSON.parse((await connection.send(post('/parameters/data', body))).toString()) as {
      numericValues: Record<string, number[]>;
    };
    const found = Object.values(answer.numericValues)[0]!.reduce((sum, count) => sum + count, 0);
    // Random times may fall on each other.
    if (found > rowCount || found < rowCount * (shape === 'random' ? 0.99 : 1))
      throw new Error(`${found} rows instead of ${rowCount}`);
  }
  connection.close();
}

async function readHours(port: number): Promise<void> {
  const connection = await openConnection(port);
  const random = seededRandom(5);
  for (let i = 0; i < hours; i++) {
    const from = firstMs + Math.floor(random() * (yearsMs - hourMs));
    const stream = `stream-${Math.floor(random() * streamCount)}`;
    const body = `{"streamIds":["${stream}"],"numericParameters":[{"parameterName":"p0"}],"from":${from}000000,"to":${from + hourMs}000000}`;
    await connection.send(post('/parameters/data', body));
  }
  connection.close();
}

/** Waits until parts have stayed the same for some time. */
async function settled(parts: string): Promise<void> {
  for (let before = '', same = 0; same < 12; ) {
    await sleep(500);
    const now = readdirSync(parts).sort().join();
    same = now === before ? same + 1 : 0;
    before = now;
  }
}

const table = [
  ['times', 'writing s', 'parts written', 'parts', 'bytes a value', 'start s', 'Count ms', 'one hour ms'],
];
for (const shape of values.shapes.split(',') as Shape[]) {
  const found = await measure(shape);
  table.push([shape, ...Object.values(found).map((value: number) => show(value))]);
}
printTable(table);
