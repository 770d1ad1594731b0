import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  launchReplicas,
  type Part,
  type Replica,
  type ReplicaCluster,
} from '../test/e2e/replicas-cluster.ts';
import { natsMissing } from '../test/live/nats-server.ts';
import {
  firstMs,
  type Payload,
  parameterName,
  payloads,
  samplesOf,
  streamName,
  type Workload,
} from './data.ts';
import { load, openConnection } from './driver.ts';
import { percentiles, printTable, show } from './figures.ts';
import { writeAtRate } from './mixed-loads.ts';
import { folderBytes, pitwallQuery, pitwallWrite, startPitwall, token } from './pitwall.ts';
import { cpuSecondsOf, untilAtRest } from './system.ts';

const help = `node build/bench/replicas.js [--scale F]

Three replicas over three servers of NATS, all on this machine, beside one embedded store: samples a second and processor
time of bulk writes, latency of writes at half of the own full load, of reads, the longest time without a write after a
death, how fast a node catches up that was away, and how fast one joins by backup. The processor time goes to where all
that was written stands in parts.`;

const connections = 4;
/** Three nodes and three servers take less than this in a second when nothing is written (s). */
const idle = 0.1;
const words = ['bulk, M samples/s', 'processor, s per M samples'] as const;

interface Target {
  readonly name: string;
  readonly port: number;
  cpuSeconds(): number;
}

type Figures = Map<string, number>;

const workload = (scale: number): Workload => ({
  shape: 'decimals',
  streams: 100,
  payloadsPerStream: Math.max(4, Math.round(20 * scale)),
  rowsPerPayload: 1000,
  parameters: 10,
});
const small = (scale: number, round: number): Payload[] =>
  [
    ...payloads({
      shape: 'decimals',
      streams: 10,
      payloadsPerStream: Math.round(400 * scale) * (round + 1),
      rowsPerPayload: 10,
      parameters: 10,
    }),
  ].slice(-Math.round(4000 * scale));

async function measure(target: Target, scale: number, rest: () => Promise<void>): Promise<Figures> {
  const figures: Figures = new Map();
  const bulk = workload(scale);
  const requests = [...payloads(bulk)].map((payload) => pitwallWrite(payload));
  const before = target.cpuSeconds();
  const { seconds } = await load(target.port, requests, connections);
  figures.set(words[0], samplesOf(bulk) / seconds / 1e6);
  await rest();
  await untilAtRest(target, idle);
  figures.set(words[1], (target.cpuSeconds() - before) / (samplesOf(bulk) / 1e6));
  const write = (payload: Payload) => pitwallWrite(payload, 'small');
  await load(target.port, small(scale, 0).map(write), connections);
  const own = small(scale, 1).map(write);
  const rate = own.length / (await load(target.port, own, connections)).seconds;
  figures.set('10-row writes/s, 4 connections', rate);
  const half = percentiles(await writeAtRate(target.port, small(scale, 2).map(write), rate / 2));
  figures.set('at half load, p50 ms', half.p50);
  figures.set('at half load, p99 ms', half.p99);
  await rest();
  figures.set('raw hour of one channel, p50 ms', await reads(target.port));
  return figures;
}

async function reads(port: number): Promise<number> {
  const connection = await openConnection(port);
  const times: number[] = [];
  for (let i = 0; i < 600; i++) {
    const from = `${firstMs + (i % 40) * 7000}000000`;
    const query = {
      streamIds: [streamName(i % 100)],
      numericParameters: [{ parameterName: parameterName(i % 10) }],
      from,
      to: String(BigInt(from) + 3_600_000_000_000n),
    };
    const begun = performance.now();
    await connection.send(pitwallQuery(query));
    times.push(performance.now() - begun);
  }
  connection.close();
  return percentiles(Float64Array.from(times.slice(-300))).p50;
}

const portOf = ({ url }: Replica): number => Number(new URL(url).port);
const cpuOf = (parts: readonly Part[]): number =>
  parts.reduce((sum, part) => sum + cpuSecondsOf({ pid: part.pid() }), 0);

/** The longest time without an acknowledged write, in ms, while a part dies and comes back; a writer asks two nodes in turn. */
async function silence(cluster: ReplicaCluster, dies: Part, writers: readonly Replica[]): Promise<number> {
  let isOver = false;
  let last = performance.now();
  let longest = 0;
  const all = writers.map(async (node) => {
    while (!isOver) {
      const signal = AbortSignal.timeout(2000);
      const wrote = await fetch(`${node.url}/topics/death/streams/${node.name}/parameters/data`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          timestamps: [String(BigInt(Date.now()) * 1_000_000n)],
          numericValues: { A: [1] },
        }),
        signal,
      }).then(
        ({ status }) => status === 200,
        () => false,
      );
      const now = performance.now();
      if (!wrote) continue;
      longest = Math.max(longest, now - last);
      last = now;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await dies.stop('SIGKILL');
  await new Promise((resolve) => setTimeout(resolve, 20_000));
  isOver = true;
  await Promise.all(all);
  await dies.start();
  await cluster.even();
  return longest;
}

async function deaths(cluster: ReplicaCluster, figures: Figures): Promise<void> {
  const [one, two, three] = cluster.nodes;
  figures.set(
    'longest time without a write after the death of a node, s',
    (await silence(cluster, three!, [one!, two!])) / 1000,
  );
  for (const server of cluster.servers) {
    const name = `after the death of ${server.name}, s`;
    figures.set(name, (await silence(cluster, server, [one!, two!])) / 1000);
  }
}

/** Another node has what was written while it was away; and then nothing at all. */
async function comesBack(cluster: ReplicaCluster, scale: number, figures: Figures): Promise<void> {
  const [one, , three] = cluster.nodes;
  await three!.stop('SIGTERM');
  const bulk = workload(scale);
  const requests = [...payloads(bulk)].map((payload) => pitwallWrite(payload, 'away'));
  await load(portOf(one!), requests, connections);
  let begun = performance.now();
  await three!.start();
  await cluster.even();
  figures.set('catching up, M samples/s', samplesOf(bulk) / 1e3 / (performance.now() - begun));
  await three!.stop('SIGTERM');
  const bytes = ['parts', 'log', 'catalog'].reduce(
    (sum, name) => sum + folderBytes(join(one!.dataDir, name)),
    0,
  );
  rmSync(three!.dataDir, { recursive: true });
  begun = performance.now();
  await three!.start();
  await cluster.even();
  const seconds = (performance.now() - begun) / 1000;
  figures.set('a node joins by backup, MB', bytes / 1e6);
  figures.set('a node joins by backup, MB/s', bytes / 1e6 / seconds);
}

async function ofReplicas(scale: number): Promise<Figures> {
  const cluster = await launchReplicas({ isDirect: true, token });
  try {
    await cluster.even();
    const parts = [...cluster.nodes, ...cluster.servers];
    const target = { name: 'replicas', port: portOf(cluster.nodes[0]!), cpuSeconds: () => cpuOf(parts) };
    const figures = await measure(target, scale, () => cluster.even());
    figures.set('of that the servers of NATS, s in all', cpuOf(cluster.servers));
    await deaths(cluster, figures);
    await comesBack(cluster, scale, figures);
    return figures;
  } finally {
    await cluster.stop();
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { scale: { type: 'string', default: '1' }, help: { type: 'boolean' } },
  });
  if (values.help === true) return console.log(help);
  if (natsMissing !== false) return console.log(`not run: ${natsMissing}`);
  const scale = Number(values.scale);
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-bench-'));
  const alone = await startPitwall(folder);
  let one: Figures;
  try {
    one = await measure(alone, scale, async () => undefined);
  } finally {
    await alone.stop();
    rmSync(folder, { recursive: true });
  }
  const three = await ofReplicas(scale);
  printTable([
    ['', 'one', 'three', 'ratio'],
    ...[...three].map(([name, value]) => {
      const own = one.get(name);
      return [
        name,
        own === undefined ? '' : show(own),
        show(value),
        own === undefined ? '' : show(value / own),
      ];
    }),
  ]);
}

await main();
