import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { endWithTests } from '../end-with-tests.ts';
import { type Random, seededRandom } from '../store/embedded/random.ts';
import { until } from '../until.ts';
import { adminToken, pitwall, send } from './service.ts';

/**
 * The real process, killed at random moments of writing and of starting. What each request holds follows from its
 * number alone, so that every row that is found tells the request it came from.
 */
export interface CrashOptions {
  readonly rounds: number;
  readonly seed: number;
  /** Hears of each round when it is over. */
  readonly onRound?: (round: number, summary: string) => void;
}

export interface CrashSummary {
  readonly acknowledged: number;
  /** Requests without an answer that were found whole, and that were not found. */
  readonly kept: number;
  readonly dropped: number;
}

const connections = 4;
const streamsPerTopic = 6;
/** Requests lie this far apart, so that a thousand of them fill one of the store's windows of time. */
const nanosecondsPerRequest = 10n ** 12n;

/** What a round wrote: the numbers of its requests, and what became of them. */
interface Round {
  readonly topic: string;
  readonly sent: Set<number>;
  readonly acknowledged: Set<number>;
  /** Those without an answer that a start has shown: they have to stay as well. */
  readonly shown: Set<number>;
}

interface Service {
  readonly child: ChildProcess;
  readonly url: string;
}

export async function crashRounds({ rounds, seed, onRound }: CrashOptions): Promise<CrashSummary> {
  const random = seededRandom(seed);
  const directory = mkdtempSync(join(tmpdir(), 'pitwall-crash-'));
  const numbers = { next: 1 };
  const history: Round[] = [];
  try {
    for (let round = 1; round <= rounds; round++) {
      const stops = random.chance(0.5) ? random.int(1, 3) : 0;
      for (let i = 0; i < stops; i++) await killWhileStarting(directory, random.int(1, 400));
      const service = await start(directory);
      // What an earlier round found must be there for good, though later ones change the files again.
      for (const earlier of history.slice(-3)) await check(service, earlier);
      const written: Round = {
        topic: `topic-${round}`,
        sent: new Set(),
        acknowledged: new Set(),
        shown: new Set(),
      };
      history.push(written);
      await writeUntilKilled(service, written, numbers, random);
      onRound?.(round, `${written.acknowledged.size} of ${written.sent.size} requests acknowledged`);
    }
    const service = await start(directory);
    const ready = await send(service.url, '/readyz');
    assert.equal(ready.status, 200, ready.text);
    for (const written of history) await check(service, written);
    service.child.kill('SIGTERM');
    const [code] = (await once(service.child, 'exit')) as [number | null];
    assert.equal(code, 0, 'the service stops when asked to');
    await verify(directory);
    rmSync(directory, { recursive: true });
    const count = (of: (written: Round) => number) => history.reduce((sum, written) => sum + of(written), 0);
    const acknowledged = count((written) => written.acknowledged.size);
    const kept = count((written) => written.shown.size);
    return { acknowledged, kept, dropped: count((written) => written.sent.size) - acknowledged - kept };
  } catch (error) {
    throw new Error(`seed ${seed}, files in ${directory}: ${(error as Error).message}`, { cause: error });
  }
}

function launch(directory: string): ChildProcess {
  // A small head, so that sealing, merging and the recycling of the log go on all the time.
  const args = ['serve', '--data-dir', directory, '--listen', '127.0.0.1:0', '--head-bytes', '4MiB'];
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PITWALL_'));
  return endWithTests(
    spawn(process.execPath, [pitwall, ...args], {
      env: { ...Object.fromEntries(inherited), PITWALL_TOKEN: adminToken },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
}

async function start(directory: string): Promise<Service> {
  const child = launch(directory);
  let [stdout, stderr] = ['', ''];
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-4000);
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      const line = /^pitwall listening on (\S+)$/m.exec(stdout);
      if (line !== null) resolve(line[1]!);
    });
    child.once('close', (code) => reject(new Error(`the service did not start (${code}): ${stderr}`)));
  });
  return { child, url };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function killWhileStarting(directory: string, milliseconds: number): Promise<void> {
  const child = launch(directory);
  child.stderr!.resume();
  const exited = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), milliseconds);
  const [code] = (await exited) as [number | null];
  clearTimeout(timer);
  assert.equal(code, null, 'the service ended by itself');
}

/** Writes on several connections at once; the process is killed while they do. */
async function writeUntilKilled(
  { child, url }: Service,
  written: Round,
  numbers: { next: number },
  random: Random,
): Promise<void> {
  // A slow machine has written nothing by then: some answers have come as well.
  const [milliseconds, answers] = [random.int(5, 700), random.int(5, 40)];
  const killed = pause(milliseconds)
    .then(() => until(() => child.exitCode !== null || written.acknowledged.size >= answers))
    .then(() => kill(child));
  const seeds = Array.from({ length: connections }, () => random.int(0, 2 ** 31));
  await Promise.all([...seeds.map((seed) => writeOn(url, written, numbers, seededRandom(seed))), killed]);
}

async function writeOn(
  url: string,
  written: Round,
  numbers: { next: number },
  random: Random,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    for (;;) {
      const number = numbers.next++;
      written.sent.add(number);
      const { path, body } = requestOf(number, written.topic);
      const reply = await send(url, path, { body, agent });
      if (reply.status === 200) written.acknowledged.add(number);
      else assert.equal(reply.status, 503, reply.text);
      if (random.chance(0.02)) await pause(random.int(1, 30));
    }
  } catch (error) {
    // The connection went with the process.
    if (!['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(String((error as NodeJS.ErrnoException).code)))
      throw error;
  } finally {
    agent.destroy();
  }
}

/** One row of a request, as it is written and as it has to be found. */
interface CrashRow {
  readonly streamId: string;
  readonly time: bigint;
  readonly count: number;
  readonly note: string | null;
  readonly frame: string;
  readonly tag: string;
}

/** The rows of request `number`: one to some hundred, on one to all streams. */
function rowsOf(number: number): CrashRow[] {
  const random = seededRandom(number);
  const rows = random.chance(0.05) ? random.int(200, 900) : random.int(1, 8);
  const streams = random.chance(0.3) ? random.int(2, streamsPerTopic) : 1;
  const first = random.int(0, streamsPerTopic - 1);
  return Array.from({ length: Math.max(rows, streams) }, (_, row) => ({
    streamId: `stream-${(first + (row % streams)) % streamsPerTopic}`,
    time: BigInt(number) * nanosecondsPerRequest + BigInt(row),
    count: number + row / 1000,
    note: random.chance(0.3) ? null : `${number}/${row} ${'x'.repeat(random.int(0, 60))}`,
    frame: Buffer.from(random.bytes(random.int(1, 12))).toString('base64'),
    tag: String(random.int(0, 2)),
  }));
}

function requestOf(number: number, topic: string): { path: string; body: string } {
  const payloads = [...groupByStream(rowsOf(number))].map(([streamId, rows]) => ({
    streamId,
    timestamps: rows.map(({ time }) => String(time)),
    numericValues: { count: rows.map(({ count }) => count) },
    stringValues: { note: rows.map(({ note }) => note) },
    binaryValues: { frame: rows.map(({ frame }) => frame) },
    tagValues: { tag: rows.map(({ tag }) => tag) },
  }));
  if (payloads.length > 1)
    return { path: `/topics/${topic}/parameters/data`, body: JSON.stringify(payloads) };
  const { streamId, ...payload } = payloads[0]!;
  return { path: `/topics/${topic}/streams/${streamId}/parameters/data`, body: JSON.stringify(payload) };
}

function groupByStream(rows: readonly CrashRow[]): Map<string, CrashRow[]> {
  const groups = new Map<string, CrashRow[]>();
  for (const row of rows) {
    const group = groups.get(row.streamId);
    if (group === undefined) groups.set(row.streamId, [row]);
    else group.push(row);
  }
  return groups;
}

/** Reads all that a round wrote: every acknowledged request is whole, every other one whole or absent. */
async function check({ url }: Service, { topic, sent, acknowledged, shown }: Round): Promise<void> {
  const found = new Map<number, Set<string>>();
  for (const row of await readTopic(url, topic)) {
    const number = Number(row.time / nanosecondsPerRequest);
    assert.ok(sent.has(number), `a row of request ${number}, which was never sent to ${topic}`);
    const rows = found.get(number) ?? new Set();
    found.set(number, rows);
    const text = textOf(row);
    assert.ok(!rows.has(text), `a row stands twice: ${text}`);
    rows.add(text);
  }
  for (const [number, rows] of found) {
    const expected = rowsOf(number).map(textOf);
    const wrong = [...rows].find((text) => !expected.includes(text));
    assert.equal(wrong, undefined, `a row of request ${number} is not what was sent: ${wrong}`);
    assert.equal(rows.size, expected.length, `request ${number} is there in part`);
  }
  for (const number of [...acknowledged, ...shown]) {
    assert.ok(found.has(number), `request ${number} was acknowledged, or was there before, and is gone`);
  }
  for (const number of found.keys()) if (!acknowledged.has(number)) shown.add(number);
}

function textOf(row: CrashRow): string {
  return [row.streamId, row.time, row.count, row.note, row.frame, row.tag].join(' ');
}

interface Answer {
  readonly timestamps: readonly string[];
  readonly numericValues: { readonly count: readonly number[] };
  readonly stringValues: { readonly note: readonly (string | null)[] };
  readonly binaryValues: { readonly frame: readonly string[] };
  readonly tagValues: { readonly tag: readonly string[]; readonly streamId: readonly string[] };
}

async function readTopic(url: string, topic: string): Promise<CrashRow[]> {
  const query = {
    topic,
    numericParameters: [{ parameterName: 'count' }],
    stringParameters: [{ parameterName: 'note' }],
    binaryParameters: [{ parameterName: 'frame' }],
    groupBy: ['tag', 'streamId'],
  };
  const reply = await send(url, '/parameters/data?int64=string', { body: JSON.stringify(query) });
  assert.equal(reply.status, 200, reply.text.slice(0, 500));
  const { timestamps, numericValues, stringValues, binaryValues, tagValues } = reply.json<Answer>();
  return timestamps.map((time, row) => ({
    streamId: tagValues.streamId[row]!,
    time: BigInt(time),
    count: numericValues.count[row]!,
    note: stringValues.note[row]!,
    frame: binaryValues.frame[row]!,
    tag: tagValues.tag[row]!,
  }));
}

async function verify(directory: string): Promise<void> {
  const child = endWithTests(
    spawn(process.execPath, [pitwall, 'verify', directory], {
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  assert.equal(code, 0, output);
}
