import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compressSync } from 'snappy';
import { attributes, otlpProtobuf } from '../test/wire/otlp/messages.ts';
import { write1 } from '../test/wire/remote-write-messages.ts';
import { openConnection, request } from './driver.ts';
import { printTable, show } from './figures.ts';
import { type MqttSystem, measureMqtt, startMosquittoAlone, startPitwallMqtt } from './mqtt-load.ts';
import { startPitwall, token } from './pitwall.ts';
import type { System } from './system.ts';
import { findVictoriaMetrics, startVictoriaMetrics } from './victoria-metrics.ts';

const help = `node build/bench/doors.js [--only NAME] [--requests N] [--connections N]

What other programs write in their own protocols: N requests (default 200; ten times as many of OTLP) over some connections (default 4), made before the
clock starts. Prints values a second, and µs of the service's processor time for each. Remote write runs beside VictoriaMetrics,
where that is there. MQTT, in messages: QoS 1, 500 × N messages of ten values, 32 clients with 16 under way each, beside
mosquitto. Names: otlp, otlp-json, remote-write, remote-write-wide, mqtt.`;

const startMs = 1_700_000_000_000;

interface Load {
  readonly name: string;
  readonly title: string;
  readonly values: number;
  /** Requests that are made for one of those that were asked for: short ones would be over before the engine is warm. */
  readonly times: number;
  /** Not Pitwall alone. */
  readonly beside: boolean;
  readonly path: string;
  readonly type: string;
  make(round: number): Buffer;
}

/** Ten metrics with a point for each of a hundred hosts. */
function otlpRequest(round: number): object {
  const timeUnixNano = String(BigInt(startMs + 1000 * round) * 1_000_000n);
  const metrics = Array.from({ length: 10 }, (_, metric) => ({
    name: `metric.${metric}`,
    unit: 'By',
    gauge: {
      dataPoints: Array.from({ length: 100 }, (_, host) => ({
        timeUnixNano,
        asDouble: Math.round(1000 * Math.sin(round + metric * host)) / 1000,
        attributes: attributes({ host: `host${host}`, zone: 'west' }),
      })),
    },
  }));
  const resource = { attributes: attributes({ 'service.name': 'api', 'service.instance.id': 'one' }) };
  return { resourceMetrics: [{ resource, scopeMetrics: [{ scope: { name: 'bench' }, metrics }] }] };
}

function remoteWrite(round: number, series: number, samples: number): Buffer {
  const body = write1(
    Array.from({ length: series }, (_, i) => ({
      labels: { __name__: `metric_${i % 10}`, job: 'bench', instance: `host${Math.floor(i / 10)}` },
      samples: Array.from({ length: samples }, (_, sample): [number, number] => [
        startMs + 1000 * (round * samples + sample),
        Math.round(1000 * Math.sin(i + sample)) / 1000,
      ]),
    })),
  );
  return compressSync(body);
}

const remote = { times: 1, beside: true, path: '/api/v1/write', type: 'application/x-protobuf' } as const;
const otlp = { times: 10, beside: false, path: '/v1/metrics', values: 1000 } as const;
const loads: readonly Load[] = [
  {
    ...otlp,
    name: 'otlp',
    title: 'OTLP in protobuf, 1,000 points',
    type: 'application/x-protobuf',
    make: (round) => otlpProtobuf(otlpRequest(round)),
  },
  {
    ...otlp,
    name: 'otlp-json',
    title: 'OTLP in JSON, 1,000 points',
    type: 'application/json',
    make: (round) => Buffer.from(JSON.stringify(otlpRequest(round))),
  },
  {
    ...remote,
    name: 'remote-write',
    title: 'remote write, 1,000 series × 100 samples',
    values: 100_000,
    make: (round) => remoteWrite(round, 1000, 100),
  },
  {
    ...remote,
    name: 'remote-write-wide',
    title: 'remote write, 10,000 series × 1 sample',
    values: 10_000,
    make: (round) => remoteWrite(round, 10_000, 1),
  },
];

async function measure(system: System, load: Load, bodies: readonly Buffer[], connections: number) {
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': load.type,
    ...(load.beside && { 'Content-Encoding': 'snappy', 'X-Prometheus-Remote-Write-Version': '0.1.0' }),
  };
  const requests = bodies.map((body) => request('POST', load.path, headers, body));
  const warm = Math.ceil(requests.length / 5);
  const run = async (some: readonly Buffer[]): Promise<void> => {
    let next = 0;
    await Promise.all(
      Array.from({ length: connections }, async () => {
        const connection = await openConnection(system.port);
        while (next < some.length) await connection.send(some[next++]!);
        connection.close();
      }),
    );
  };
  await run(requests.slice(0, warm));
  const [begun, cpu] = [performance.now(), system.cpuSeconds()];
  await run(requests.slice(warm));
  const values = (requests.length - warm) * load.values;
  return {
    perSecond: values / ((performance.now() - begun) / 1000),
    microseconds: ((system.cpuSeconds() - cpu) * 1e6) / values,
  };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      requests: { type: 'string', default: '200' },
      connections: { type: 'string', default: '4' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) {
    console.log(help);
    return;
  }
  const theirs = findVictoriaMetrics();
  const rows = [['load', 'system', 'values/s', 'µs each']];
  for (const load of loads.filter(({ name }) => values.only === undefined || values.only === name)) {
    const bodies = Array.from({ length: load.times * Number(values.requests) }, (_, round) =>
      load.make(round),
    );
    const starts = [
      (folder: string) => startPitwall(folder),
      ...(load.beside && theirs !== undefined
        ? [(folder: string) => startVictoriaMetrics(theirs, folder, 'influx')]
        : []),
    ];
    for (const start of starts) {
      const folder = mkdtempSync(join(tmpdir(), 'pitwall-bench-'));
      const system = await start(folder);
      try {
        const { perSecond, microseconds } = await measure(system, load, bodies, Number(values.connections));
        rows.push([load.title, system.name, show(perSecond), show(microseconds)]);
      } finally {
        await system.stop();
        rmSync(folder, { recursive: true, force: true });
      }
    }
  }
  if (values.only === undefined || values.only === 'mqtt') {
    const starts = [startPitwallMqtt, startMosquittoAlone];
    for (const start of starts) rows.push(...(await mqttRow(start, 500 * Number(values.requests))));
  }
  printTable(rows);
}

/** In messages, not in values. */
async function mqttRow(
  start: (folder: string) => Promise<MqttSystem | undefined>,
  messages: number,
): Promise<string[][]> {
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-bench-'));
  try {
    const system = await start(folder);
    if (system === undefined) return [];
    const { perSecond, microseconds } = await measureMqtt(system, messages);
    return [['MQTT, messages of QoS 1', system.name, show(perSecond), show(microseconds)]];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
