import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { load, openConnection } from './driver.ts';
import { startPitwall } from './pitwall.ts';
import { makeQueryData, type QueryData, queryPayloads } from './query-data.ts';
import { type QueryKind, type Question, queryKinds } from './query-kinds.ts';
import { compareSeries, type Series } from './query-series.ts';
import { median, seededRandom } from './random.ts';
import type { System } from './system.ts';
import { startVictoriaMetrics } from './victoria-metrics.ts';

export interface QueryBenchOptions {
  readonly streams: number;
  /** Questions of each kind that are measured. */
  readonly runs: number;
  /** Only this kind of question; all where undefined. */
  readonly kind: string | undefined;
  /** The program; undefined measures Pitwall alone. */
  readonly victoriaMetrics: string | undefined;
}

/** One of the systems with its side of each question. */
interface Contender {
  readonly system: System;
  readonly request: (question: Question) => Buffer;
  readonly series: (question: Question, answer: Buffer) => Series;
}

/** Unmeasured questions of each kind go before the others for so long, so that both sides have their code warm. */
const warmUpMs = 10_000;
const fewestWarmUps = 5;
const payloadsAtOnce = 1000;
const connections = 4;

/**
 * Loads the same rows into both systems, which then stand side by side, and asks each the same questions in turn over
 * one connection each. Every answer is compared with what the data itself gives; a difference ends the run.
 */
export async function benchQueries(options: QueryBenchOptions): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'pitwall-bench-'));
  const contenders: Contender[] = [];
  try {
    contenders.push({
      system: await startPitwall(directory),
      request: (question) => question.pitwall,
      series: (question, answer) => question.ofPitwall(answer),
    });
    if (options.victoriaMetrics !== undefined) {
      contenders.push({
        system: await startVictoriaMetrics(options.victoriaMetrics, directory, 'import'),
        request: (question) => question.victoria,
        series: (question, answer) => question.ofVictoria(answer),
      });
    }
    const data = makeQueryData(options.streams);
    for (const { system } of contenders) await loadInto(system, data, directory);
    for (const kind of queryKinds) {
      if (options.kind !== undefined && options.kind !== kind.name) continue;
      console.log(line(contenders, kind, await askBoth(contenders, data, kind, options.runs)));
    }
  } finally {
    for (const { system } of contenders) await system.stop();
    rmSync(directory, { recursive: true });
  }
}

/** Loads all rows, and waits until merging has come to rest. */
export async function loadInto(system: System, data: QueryData, directory: string): Promise<void> {
  let requests: Buffer[] = [];
  let seconds = 0;
  const send = async () => {
    const loaded = await load(system.port, requests, connections);
    seconds += loaded.seconds;
    requests = [];
  };
  for (const payload of queryPayloads(data)) {
    requests.push(system.writeRequest(payload));
    if (requests.length === payloadsAtOnce) await send();
  }
  if (requests.length > 0) await send();
  await system.settle();
  await untilQuiet(directory);
  const samples = data.streams * data.parameters * data.rows;
  console.log(`${system.name}: ${samples.toLocaleString('en-US')} samples loaded in ${seconds.toFixed(1)} s`);
}

/** Waits until the sizes of all files have stayed the same for some seconds: merging has come to rest. */
export async function untilQuiet(directory: string): Promise<void> {
  for (let before = '', same = 0; same < 20; ) {
    await sleep(500);
    const now = sizesIn(directory);
    same = now === before ? same + 1 : 0;
    before = now;
  }
}

function sizesIn(directory: string): string {
  const sizes = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => {
    try {
      return `${name} ${statSync(join(directory, name)).size}`;
    } catch {
      // Merged away between the listing and the look.
      return '';
    }
  });
  return sizes.sort().join('\n');
}

/** Asks in turn, the first one being another each time. */
async function askBoth(
  contenders: readonly Contender[],
  data: QueryData,
  kind: QueryKind,
  runs: number,
): Promise<Float64Array[]> {
  const random = seededRandom(11);
  let sockets: Awaited<ReturnType<typeof openConnection>>[] = [];
  const times = contenders.map(() => new Float64Array(runs));
  let fixed: { readonly key: string; readonly series: Series } | undefined;
  let warmAt = Number.POSITIVE_INFINITY;
  for (let asked = 0, run = 0; run < runs; asked++) {
    const isMeasured = run > 0 || (asked >= fewestWarmUps && performance.now() >= warmAt);
    const question = kind.ask(data, random);
    const key = question.pitwall.toString('latin1');
    // Questions without anything to draw are the same each time.
    if (fixed?.key !== key) fixed = { key, series: question.expected() };
    // What is expected may take seconds to work out, and servers close idle connections.
    if (asked === 0) {
      sockets = await Promise.all(contenders.map(({ system }) => openConnection(system.port)));
      warmAt = performance.now() + warmUpMs;
    }
    for (let turn = 0; turn < contenders.length; turn++) {
      const index = (asked + turn) % contenders.length;
      const { system, request, series } = contenders[index]!;
      const bytes = request(question);
      const start = performance.now();
      const answer = await sockets[index]!.send(bytes);
      if (isMeasured) times[index]![run] = performance.now() - start;
      compareSeries(series(question, answer), fixed.series, system.name, kind.title);
    }
    if (isMeasured) run++;
  }
  for (const socket of sockets) socket.close();
  return times;
}

/** `times` in milliseconds, by contender. */
function line(contenders: readonly Contender[], kind: QueryKind, times: readonly Float64Array[]): string {
  const middles = times.map((own) => median([...own]));
  const figures = contenders.map(({ system }, i) => {
    const p99 = Float64Array.from(times[i]!).sort()[Math.floor(times[i]!.length * 0.99)]!;
    return `${system.name} p50 ${middles[i]!.toFixed(2)} ms, p99 ${p99.toFixed(2)}`;
  });
  const ratio = middles[0]! / middles[1]!;
  const verdict = Number.isNaN(ratio)
    ? ''
    : `  ratio ${ratio.toFixed(2)}, aim ${kind.aim}${ratio > kind.aim ? ': missed' : ''}`;
  return `${kind.name}: ${kind.title}\n    ${figures.join('  ')}${verdict}`;
}
