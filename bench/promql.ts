import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compressSync } from 'snappy';
import { write1 } from '../test/wire/remote-write-messages.ts';
import { openConnection, request } from './driver.ts';
import { percentiles, printTable, show } from './figures.ts';
import { startPitwall, token } from './pitwall.ts';
import { type System, untilAtRest } from './system.ts';
import { findVictoriaMetrics, startVictoriaMetrics } from './victoria-metrics.ts';

const help = `node build/bench/promql.js [--series N] [--rounds N] [--query TEXT]

Range queries in PromQL over N series (default 1000) of six hours, a sample every 15 seconds, at steps of a minute: p50 of the
answers in ms, and the processor time of one. Beside VictoriaMetrics, where that is there; it is asked to use no cache of
results, and each round begins some seconds later.`;

const startMs = 1_700_000_040_000;
const everyMs = 15_000;
const hours = 6;
const samples = (hours * 3_600_000) / everyMs;
const samplesAtOnce = 120;
const warmUps = 20;

const queries = [
  'avg_over_time(bench_value[5m])',
  'rate(bench_total[5m])',
  'max by (job) (bench_value)',
  'sum(rate(bench_total[5m]))',
  'max_over_time(bench_value[1h])',
] as const;

/** Half of the series are gauges, the others counters. */
async function load(system: System, series: number): Promise<void> {
  const connection = await openConnection(system.port);
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/x-protobuf',
    'Content-Encoding': 'snappy',
    'X-Prometheus-Remote-Write-Version': '0.1.0',
  };
  for (let from = 0; from < samples; from += samplesAtOnce) {
    const body = write1(
      Array.from({ length: 2 * series }, (_, i) => ({
        labels: {
          __name__: i < series ? 'bench_value' : 'bench_total',
          job: `job${i % 10}`,
          instance: `host${i % series}`,
        },
        samples: Array.from({ length: samplesAtOnce }, (_, at): [number, number] => [
          startMs + everyMs * (from + at),
          i < series ? Math.round(1000 * Math.sin(i + from + at)) / 1000 : (from + at) * (1 + (i % 7)),
        ]),
      })),
    );
    await connection.send(request('POST', '/api/v1/write', headers, compressSync(body)));
  }
  connection.close();
  await system.settle();
}

async function measure(system: System, query: string, rounds: number) {
  const connection = await openConnection(system.port);
  const headers = { Authorization: `Bearer ${token}` };
  const askAt = (round: number) => {
    const params = new URLSearchParams({
      query,
      start: String(startMs / 1000 + 3600 + 7 * (round % 60)),
      end: String(startMs / 1000 + hours * 3600),
      step: '60',
      nocache: '1',
    });
    return request('GET', `/api/v1/query_range?${params}`, headers, Buffer.alloc(0));
  };
  for (let i = 0; i < warmUps; i++) await connection.send(askAt(i));
  const times = new Float64Array(rounds);
  const cpu = system.cpuSeconds();
  for (let i = 0; i < rounds; i++) {
    const begun = performance.now();
    await connection.send(askAt(warmUps + i));
    times[i] = performance.now() - begun;
  }
  connection.close();
  return { p50: percentiles(times).p50, cpu: (1000 * (system.cpuSeconds() - cpu)) / rounds };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      series: { type: 'string', default: '1000' },
      rounds: { type: 'string', default: '21' },
      query: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) {
    console.log(help);
    return;
  }
  const theirs = findVictoriaMetrics();
  const rows = [['query', 'system', 'p50 ms', 'processor ms']];
  const starts = [
    (folder: string) => startPitwall(folder),
    ...(theirs === undefined ? [] : [(folder: string) => startVictoriaMetrics(theirs, folder, 'influx')]),
  ];
  for (const start of starts) {
    const folder = mkdtempSync(join(tmpdir(), 'pitwall-bench-'));
    const system = await start(folder);
    try {
      await load(system, Number(values.series));
      await untilAtRest(system);
      for (const query of values.query === undefined ? queries : [values.query]) {
        const { p50, cpu } = await measure(system, query, Number(values.rounds));
        rows.push([query, system.name, show(p50), show(cpu)]);
      }
    } finally {
      await system.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }
  printTable(rows);
}

await main();
