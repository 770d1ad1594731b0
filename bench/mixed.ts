import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { firstMs, type Payload, payloads } from './data.ts';
import { load } from './driver.ts';
import { percentiles, printTable, show } from './figures.ts';
import { askOn, type Stall, watchStalls, writeAtRate } from './mixed-loads.ts';
import { startPitwall } from './pitwall.ts';
import { endMs, makeQueryData, type QueryData, queryPayloads, stepMs } from './query-data.ts';
import { queryKinds } from './query-kinds.ts';
import { median, seededRandom } from './random.ts';
import { type System, untilAtRest } from './system.ts';
import { findVictoriaMetrics, startVictoriaMetrics } from './victoria-metrics.ts';

const help = `node build/bench/mixed.js [--runs N] [--scale F] [--seconds S] [--alone] [--timeline] [--late]

Writes and dashboards at once, on 20 million samples (--scale 0.1 makes it a tenth): four connections ask the hourly mean of
one parameter over all 1,000 streams as fast as they can, alone (once the load is merged) and beside 1,500 writes of 10 rows a second, which go on where
the data ends (--late: they fall between its rows, from its beginning on). Then the latency
of 10-row writes at half of the own full load, with what ran while they stalled (--timeline prints every 100 ms that had a
write of more than 20 ms), and the time until it is ready after kill -9 in a load of 10 million samples. Pitwall and
VictoriaMetrics in turn, N rounds (default 3), S seconds for each load (default 10). Nothing else should run on the machine.`;

const figures = [
  'dashboards alone, queries/s',
  'beside writes, queries/s',
  'beside dashboards, write p50 ms',
  'beside dashboards, write p99 ms',
  'own full load, requests/s',
  'half load, write p50 ms',
  'half load, write p99 ms',
  'ready after kill -9, s',
] as const;

interface Options {
  readonly scale: number;
  readonly seconds: number;
  readonly timeline: boolean;
  readonly late: boolean;
}

interface Contender {
  readonly system: System;
  readonly isPitwall: boolean;
  /** What ran since it was asked last: seals and merges, garbage. */
  readonly ran: () => string[];
}

const dashboards = 4;
const writesPerSecond = 1500;
const rowsOfWrite = 10;

/** One round of one system on an empty folder; the figures in their order. */
async function measure(
  { system, isPitwall, ran }: Contender,
  data: QueryData,
  options: Options,
): Promise<number[]> {
  const { scale, seconds, timeline, late } = options;
  await loadAll(system, queryPayloads(data));
  await system.settle();
  await untilAtRest(system);
  const random = seededRandom(3);
  const kind = queryKinds.find(({ name }) => name === 'mean-1')!;
  const question = (): Buffer => {
    const asked = kind.ask(data, random);
    return isPitwall ? asked.pitwall : asked.victoria;
  };
  await askOn(system.port, dashboards, question, Math.min(3, seconds));
  const alone = await askOn(system.port, dashboards, question, seconds);
  const next = writes(system, late ? 0 : endMs + stepMs - firstMs);
  const atRate = (perSecond: number) => Array.from({ length: Math.round(perSecond * seconds) }, next);
  const besideThem = atRate(writesPerSecond);
  const [beside, written] = await Promise.all([
    askOn(system.port, dashboards, question, seconds),
    writeAtRate(system.port, besideThem, writesPerSecond),
  ]);
  const besideDashboards = percentiles(written);

  const full = Array.from({ length: Math.max(2000, Math.round(150_000 * scale)) }, next);
  const { requests, seconds: took } = await load(system.port, full, 32);
  const halfRate = requests / took / 2;
  const ofHalf = atRate(halfRate);
  const stalls = watchStalls(ran);
  const half = percentiles(await writeAtRate(system.port, ofHalf, halfRate, stalls.note));
  for (const stall of stalls.end()) if (timeline) console.log(stallLine(stall));

  const more = Array.from(
    queryPayloads(makeQueryData(Math.max(10, Math.round(500 * scale)))),
    system.writeRequest,
  );
  const most = Math.floor(more.length * 0.8);
  await load(system.port, more.slice(0, most), dashboards);
  const rest = load(system.port, more.slice(most), dashboards).catch(() => undefined);
  await sleep(50);
  const ready = await system.restart();
  await rest;
  return [
    alone,
    beside,
    besideDashboards.p50,
    besideDashboards.p99,
    requests / took,
    half.p50,
    half.p99,
    ready,
  ];
}

const payloadsAtOnce = 1000;

async function loadAll(system: System, all: Iterable<Payload>): Promise<void> {
  let requests: Buffer[] = [];
  for (const payload of all) {
    requests.push(system.writeRequest(payload));
    if (requests.length < payloadsAtOnce) continue;
    await load(system.port, requests, dashboards);
    requests = [];
  }
  await load(system.port, requests, dashboards);
}

/** Gives one request after another: 10 rows of 10 parameters, of a hundred streams in turn, so much later than the first rows. */
function writes(system: System, laterMs: number): () => Buffer {
  const all = payloads({
    shape: 'decimals',
    streams: 100,
    payloadsPerStream: Number.POSITIVE_INFINITY,
    rowsPerPayload: rowsOfWrite,
    parameters: 10,
  });
  return () => {
    const payload = all.next().value as Payload;
    return system.writeRequest({ ...payload, startMs: payload.startMs + laterMs });
  };
}

function stallLine({ atMs, worstMs, ran }: Stall): string {
  return `    ${(atMs / 1000).toFixed(1).padStart(5)} s  ${worstMs.toFixed(0).padStart(5)} ms  ${ran.join(', ')}`;
}

/** Notes what Pitwall did besides: part files that came and went, and pauses for garbage, of all its threads. */
function watchPitwall(directory: string): { ran: () => string[]; onLine: (line: string) => void } {
  const folder = join(directory, 'pitwall', 'parts');
  let before = new Set<string>();
  let pauses: string[] = [];
  return {
    onLine(line) {
      const [, what, ms] =
        /ms: (Scavenge|Mark-Compact).*?MB(?: pooled: .*?)?, (?:pooled: .*?MB, )?([\d.]+) \/ /.exec(line) ??
        [];
      if (what !== undefined && Number(ms) >= 5) pauses.push(`${what} ${ms} ms`);
    },
    ran() {
      const now = new Set(readdirSync(folder).filter((name) => !name.endsWith('.new')));
      const came = [...now].filter((name) => !before.has(name)).length;
      const went = [...before].filter((name) => !now.has(name)).length;
      before = now;
      const parts = went > 0 ? [`merge: ${went} parts to ${came}`] : came > 0 ? [`seal: ${came} parts`] : [];
      const all = [...parts, ...pauses];
      pauses = [];
      return all;
    },
  };
}

type Start = (directory: string) => Promise<Contender>;

/** With a flag of the engine's a start cannot use code that was compiled without it: only a timeline has one. */
async function pitwall(directory: string, timeline: boolean): Promise<Contender> {
  if (!timeline) return { system: await startPitwall(directory), isPitwall: true, ran: () => [] };
  const { ran, onLine } = watchPitwall(directory);
  return { system: await startPitwall(directory, ['--trace-gc'], onLine), isPitwall: true, ran };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '3' },
      scale: { type: 'string', default: '1' },
      seconds: { type: 'string', default: '10' },
      alone: { type: 'boolean', default: false },
      timeline: { type: 'boolean', default: false },
      late: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const { timeline, late } = values;
  const options = { scale: Number(values.scale), seconds: Number(values.seconds), timeline, late };
  const program = values.alone ? undefined : findVictoriaMetrics();
  const victoria: Start = async (directory) => ({
    system: await startVictoriaMetrics(program!, directory, 'import'),
    isPitwall: false,
    ran: () => [],
  });
  const own: Start = (directory) => pitwall(directory, timeline);
  const starts = program === undefined ? [own] : [own, victoria];
  const data = makeQueryData(Math.max(10, Math.round(1000 * options.scale)));
  const results = new Map<string, number[][]>();
  for (let round = 0; round < Number(values.runs); round++) {
    for (const start of starts) {
      const directory = mkdtempSync(join(tmpdir(), 'pitwall-bench-'));
      const contender = await start(directory);
      const { name } = contender.system;
      try {
        const measured = await measure(contender, data, options);
        results.set(name, [...(results.get(name) ?? []), measured]);
        console.log(`round ${round + 1}  ${name}  ${measured.map(show).join('  ')}`);
      } finally {
        await contender.system.stop();
        rmSync(directory, { recursive: true });
      }
    }
  }
  report(results);
}

/** Medians, and the median of the ratios of the rounds. */
function report(results: ReadonlyMap<string, readonly number[][]>): void {
  const runs = [...results];
  const rows = figures.map((figure, i) => {
    const of = runs.map(([, rounds]) => rounds.map((round) => round[i]!));
    const [own, other] = of;
    const ratio =
      other === undefined ? [] : [show(median(own!.map((value, round) => value / other[round]!)))];
    return [figure, ...of.map((all) => show(median(all))), ...ratio];
  });
  printTable([['median', ...runs.map(([name]) => name), ...(runs.length > 1 ? ['ratio'] : [])], ...rows]);
}

await main();
