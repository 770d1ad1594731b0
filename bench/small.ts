import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { load, openConnection } from './driver.ts';
import { percentiles, printTable, show } from './figures.ts';
import { hubWrites, roundOf } from './hub-writes.ts';
import { writeAtRate } from './mixed-loads.ts';
import { startPitwall } from './pitwall.ts';
import { makeQueryData, type QueryData, queryPayloads, startMs, stepMs } from './query-data.ts';
import { type Question, queryKinds } from './query-kinds.ts';
import { median, seededRandom } from './random.ts';
import { type System, stopProcess, untilAtRest } from './system.ts';
import { findVictoriaMetrics, startVictoriaMetrics } from './victoria-metrics.ts';

const help = `node build/bench/small.js [--runs N] [--scale F] [--beside DIR] [--alone] [--only writes|reads]

What one request, one question and one start cost: writes of 1, 10 and 100 rows × 10 parameters over 32 connections and,
of Pitwall, over one socket of the hub; the latency of 1-row writes at half of the own full load; bulk; the first 200
questions after a start, and hourly means of all streams behind them; a start after kill -9 in a load; memory. Pitwall,
the Pitwall that is built in DIR, and VictoriaMetrics, in turn, N rounds (default 3), medians. --scale 0.1 makes the
loads a tenth. Nothing else should run on the machine.`;

interface Contender {
  readonly name: string;
  readonly isPitwall: boolean;
  /** The questions are about names that its other format of writes does not give. */
  readonly isWrittenOnly?: boolean;
  start(directory: string): Promise<System>;
}

type Figures = Map<string, number>;

const connections = 32;
const hubCallsUnderWay = 64;
const sizes = [
  { rows: 1, requests: 80_000 },
  { rows: 10, requests: 50_000 },
  { rows: 100, requests: 12_000 },
] as const;

async function writes(system: System, isPitwall: boolean, scale: number, figures: Figures): Promise<void> {
  for (const { rows, requests } of sizes) {
    const count = Math.max(1000, Math.round(requests * scale));
    const make = (round: number) =>
      roundOf(rows, count, round).map((payload) => system.writeRequest(payload));
    await load(system.port, make(0), connections);
    const all = make(1);
    const before = system.cpuSeconds();
    const { seconds } = await load(system.port, all, connections);
    const processor = system.cpuSeconds() - before;
    figures.set(`${rows} rows, requests/s`, count / seconds);
    figures.set(`${rows} rows, processor µs`, (processor / count) * 1e6);
    if (isPitwall) await hub(system, rows, count, figures);
  }
  const rate = figures.get('1 rows, requests/s')! / 2;
  const due = roundOf(1, Math.round(rate * 5 * Math.max(scale, 0.2)), 2);
  const half = percentiles(
    await writeAtRate(
      system.port,
      due.map((payload) => system.writeRequest(payload)),
      rate,
    ),
  );
  figures.set('1 row at half load, p50 ms', half.p50);
  figures.set('1 row at half load, p99 ms', half.p99);
}

async function hub(system: System, rows: number, count: number, figures: Figures): Promise<void> {
  await hubWrites(system, rows, count, 0, hubCallsUnderWay);
  const before = system.cpuSeconds();
  const { rate } = await hubWrites(system, rows, count, 1, hubCallsUnderWay);
  figures.set(`hub, ${rows} rows, calls/s`, rate);
  figures.set(`hub, ${rows} rows, processor µs`, ((system.cpuSeconds() - before) / count) * 1e6);
}

const questionsAsked = 200;

async function reads(system: System, isPitwall: boolean, data: QueryData, figures: Figures): Promise<void> {
  const bulk = Array.from(queryPayloads(data), system.writeRequest);
  const before = system.cpuSeconds();
  const { seconds } = await load(system.port, bulk, 4);
  const samples = data.streams * data.parameters * data.rows;
  figures.set('bulk, M samples/s', samples / seconds / 1e6);
  figures.set('peak memory in bulk, MB', system.peakMemory() / 1e6);
  await system.settle();
  await untilAtRest(system);
  figures.set('bulk until at rest, processor ns a sample', ((system.cpuSeconds() - before) / samples) * 1e9);
  const random = seededRandom(11);
  const kind = queryKinds.find(({ name }) => name === 'max-1-1')!;
  const means1 = queryKinds.find(({ name }) => name === 'mean-1')!;
  const asked = Array.from({ length: questionsAsked }, () => kind.ask(data, random));
  await system.restart(stopProcess);
  await sleep(3000);
  figures.set('memory at rest after a start, MB', system.memory() / 1e6);
  const max = await ask(
    system,
    asked.map((question) => (isPitwall ? question.pitwall : question.victoria)),
  );
  figures.set('max of an hour, p50 ms', max.p50);
  figures.set('max of an hour, p99 ms', max.p99);
  const means = Array.from({ length: questionsAsked }, () => means1.ask(data, random));
  const mean = await ask(
    system,
    means.map((question) => (isPitwall ? question.pitwall : question.victoria)),
  );
  figures.set('hourly means of all streams, p50 ms', mean.p50);
  await system.restart(stopProcess);
  await sleep(1000);
  const hours = Array.from({ length: questionsAsked }, (_, i) => {
    const from = startMs + (i % 5) * 3_600_000;
    return system.readRequest(
      `stream-${String(i % data.streams).padStart(4, '0')}`,
      `p${i % 10}`,
      from,
      from + 3_599_999,
    );
  });
  const raw = await ask(system, hours);
  figures.set('raw, one hour, p50 ms', raw.p50);
  figures.set('raw, one hour, p99 ms', raw.p99);
  await killed(system, isPitwall, data, asked[0]!, figures);
}

/** The time of each question asked alone, over one connection. */
async function ask(system: System, questions: readonly Buffer[]) {
  const { latencies } = await load(system.port, questions, 1);
  return percentiles(latencies);
}

async function killed(
  system: System,
  isPitwall: boolean,
  data: QueryData,
  { pitwall, victoria, ofPitwall, ofVictoria, expected }: Question,
  figures: Figures,
): Promise<void> {
  const later = Array.from(queryPayloads(data), (payload) =>
    system.writeRequest({ ...payload, startMs: payload.startMs + data.rows * stepMs * 2 }),
  );
  const loading = load(system.port, later, 4).catch(() => undefined);
  await sleep(400);
  const began = performance.now();
  const ready = await system.restart();
  const connection = await openConnection(system.port);
  const wanted = expected().size;
  for (let found = 0; found !== wanted; ) {
    const answer = await connection.send(isPitwall ? pitwall : victoria);
    found = (isPitwall ? ofPitwall(answer) : ofVictoria(answer)).size;
    if (performance.now() - began > 30_000)
      throw new Error(`${system.name} has ${found} series of ${wanted}`);
  }
  const first = performance.now() - began;
  connection.close();
  figures.set('ready after kill -9, ms', ready * 1000);
  figures.set('first answer after kill -9, ms', first);
  await loading;
}

async function measure(contender: Contender, part: string | undefined, scale: number): Promise<Figures> {
  const figures: Figures = new Map();
  const inFolder = async (work: (system: System) => Promise<void>) => {
    const directory = mkdtempSync(join(tmpdir(), 'pitwall-bench-'));
    const system = await contender.start(directory);
    try {
      await work(system);
    } finally {
      await system.stop();
      rmSync(directory, { recursive: true });
    }
  };
  if (part !== 'reads') await inFolder((system) => writes(system, contender.isPitwall, scale, figures));
  const data = makeQueryData(Math.max(10, Math.round(100 * scale)));
  if (part !== 'writes' && !contender.isWrittenOnly)
    await inFolder((system) => reads(system, contender.isPitwall, data, figures));
  return figures;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '3' },
      scale: { type: 'string', default: '1' },
      beside: { type: 'string' },
      only: { type: 'string' },
      alone: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const { beside, only } = values;
  const contenders: Contender[] = [
    { name: 'Pitwall', isPitwall: true, start: (directory) => startPitwall(directory) },
  ];
  if (beside !== undefined)
    contenders.push({
      name: 'Pitwall beside',
      isPitwall: true,
      start: (directory) => startPitwall(directory, [], undefined, resolve(beside, 'dist/cli/pitwall.js')),
    });
  const program = values.alone ? undefined : findVictoriaMetrics();
  if (program !== undefined)
    for (const format of ['influx', 'import'] as const)
      contenders.push({
        name: `VictoriaMetrics (${format})`,
        isPitwall: false,
        isWrittenOnly: format === 'influx',
        start: (directory) => startVictoriaMetrics(program, directory, format),
      });
  const rounds = contenders.map((): Figures[] => []);
  for (let run = 0; run < Number(values.runs); run++)
    for (const [i, contender] of contenders.entries())
      rounds[i]!.push(await measure(contender, only, Number(values.scale)));
  const names = [...rounds[0]![0]!.keys()];
  const medians = rounds.map(
    (all) => (name: string) => median(all.map((figures) => figures.get(name) ?? Number.NaN)),
  );
  printTable([
    ['', ...contenders.flatMap(({ name }, i) => (i === 0 ? [name] : [name, 'ratio']))],
    ...names.map((name) => {
      const own = medians[0]!(name);
      return [name, show(own), ...medians.slice(1).flatMap((of) => [show(of(name)), show(own / of(name))])];
    }),
  ]);
}

await main();
