import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Shape, Workload } from './data.ts';
import { printTable, show } from './figures.ts';
import { benchHub } from './hub.ts';
import { type Measured, type MeasureOptions, measure } from './measure.ts';
import { startPitwall } from './pitwall.ts';
import { benchQueries } from './query.ts';
import { queryKinds } from './query-kinds.ts';
import { median } from './random.ts';
import type { System } from './system.ts';
import { type Format, findVictoriaMetrics, startVictoriaMetrics } from './victoria-metrics.ts';

const help = `npm run bench [-- --runs N] [--scale F] [--only NAME] [--connections N] [--query NAME] [--alone]

Measures Pitwall beside VictoriaMetrics on the same rows, one after the other, in N interleaved rounds (default 3),
and prints medians and ratios. VictoriaMetrics is looked for in VICTORIA_METRICS and on the path; without it,
or with --alone, Pitwall runs by itself. --scale 0.1 makes the loads a tenth, --connections 64 sends the
writes over so many instead of those that the load's title names. Names: bulk, integers, small, channels,
wide, queries, hub.
For queries, --runs is how often each is asked (default 200), and --query picks one: ${queryKinds.map(({ name }) => name).join(', ')}.
Nothing else should run on the machine.`;

interface Work {
  readonly name: string;
  readonly title: string;
  readonly workload: Workload;
  readonly options: MeasureOptions;
}

function works(scale: number): Work[] {
  const bulk = (shape: Shape): Workload => ({
    shape,
    streams: 100,
    payloadsPerStream: Math.max(5, Math.round(20 * scale)),
    rowsPerPayload: 1000,
    parameters: 10,
  });
  const channels = (streams: number, parameters: number, payloads: number): Workload => ({
    shape: 'decimals',
    streams,
    payloadsPerStream: Math.max(2, Math.round(payloads * scale)),
    rowsPerPayload: 100,
    parameters,
    ownClocks: true,
  });
  return [
    {
      name: 'bulk',
      title: '1000-row payloads, 10 parameters, 3 decimals',
      workload: bulk('decimals'),
      options: { connections: 4, reads: 300, disk: true },
    },
    {
      name: 'integers',
      title: '1000-row payloads, 10 parameters, integers 0..100',
      workload: bulk('integers'),
      options: { connections: 4, reads: 0, disk: true },
    },
    {
      name: 'small',
      title: '10-row payloads, 10 parameters, 3 decimals',
      workload: { ...bulk('decimals'), payloadsPerStream: Math.round(1500 * scale), rowsPerPayload: 10 },
      options: { connections: 32, reads: 0, disk: false },
    },
    {
      name: 'channels',
      title: '20 streams of 100 channels, each with times of its own: 100-row payloads of one channel',
      workload: channels(20, 100, 10),
      options: { connections: 4, reads: 300, disk: true },
    },
    {
      name: 'wide',
      title: 'one stream of 1000 channels, each with times of its own: 100-row payloads of one channel',
      workload: channels(1, 1000, 20),
      options: { connections: 4, reads: 300, disk: true },
    },
  ];
}

type Start = (directory: string) => Promise<System>;

async function runOnce(start: Start, work: Work): Promise<{ name: string; measured: Measured }> {
  const directory = mkdtempSync(join(tmpdir(), 'pitwall-bench-'));
  const system = await start(directory);
  try {
    return { name: system.name, measured: await measure(system, work.workload, work.options) };
  } finally {
    await system.stop();
    rmSync(directory, { recursive: true });
  }
}

const columns: readonly (keyof Measured)[] = [
  'samplesPerSecond',
  'requestsPerSecond',
  'writeP50',
  'writeP99',
  'readP50',
  'warmReadP50',
  'bytesPerSample',
  'peakMemoryMb',
];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string' },
      scale: { type: 'string', default: '1' },
      only: { type: 'string' },
      connections: { type: 'string' },
      query: { type: 'string' },
      alone: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const program = values.alone ? undefined : findVictoriaMetrics();
  const victoria =
    (format: Format): Start =>
    (directory) =>
      startVictoriaMetrics(program!, directory, format);
  const starts: Start[] = [startPitwall];
  if (program === undefined) console.log('VictoriaMetrics was not found: Pitwall runs alone.');
  else starts.push(victoria('influx'), victoria('import'));
  for (const work of works(Number(values.scale))) {
    if (values.only !== undefined && values.only !== work.name) continue;
    const connections = Number(values.connections ?? work.options.connections);
    console.log(`\n${work.title}, ${connections} connections`);
    const results = new Map<string, Measured[]>();
    for (let round = 0; round < Number(values.runs ?? 3); round++) {
      for (const start of starts) {
        const { name, measured } = await runOnce(start, {
          ...work,
          options: { ...work.options, connections },
        });
        results.set(name, [...(results.get(name) ?? []), measured]);
        const line = columns.map((column) => `${column} ${show(measured[column])}`).join('  ');
        console.log(`  round ${round + 1}  ${name}  ${line}`);
      }
    }
    report(results);
  }
  if (values.only === undefined || values.only === 'hub') {
    await benchHub({ rounds: Number(values.runs ?? 3), scale: Number(values.scale) });
  }
  if (values.only === undefined || values.only === 'queries') {
    const streams = Math.max(10, Math.round(1000 * Number(values.scale)));
    console.log(`\nqueries on ${streams} streams, 10 parameters, 2000 rows 10 s apart`);
    await benchQueries({
      streams,
      runs: Number(values.runs ?? 200),
      kind: values.query,
      victoriaMetrics: program,
    });
  }
}

function report(results: ReadonlyMap<string, readonly Measured[]>): void {
  const medians = [...results].map(([name, runs]) => ({
    name,
    values: columns.map((column) => median(runs.map((run) => run[column]))),
  }));
  const own = medians[0]!.values;
  const rows = [['median', ...columns], ...medians.map(({ name, values }) => [name, ...values.map(show)])];
  for (const { name, values } of medians.slice(1)) {
    rows.push([`Pitwall / ${name}`, ...values.map((value, i) => show(own[i]! / value))]);
  }
  printTable(rows);
}

await main();
