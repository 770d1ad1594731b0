import { parseArgs } from 'node:util';
import { engineMissing } from '../test/clickhouse/engine.ts';
import { diskOf, mergeAll } from './clickhouse-disk.ts';
import { directly, type Inserted, insertDirectly, insertThrough } from './clickhouse-inserts.ts';
import { benchClickHouseQueries } from './clickhouse-queries.ts';
import { type ClickHouseServer, startClickHouse } from './clickhouse-server.ts';
import { benchSingleInserts } from './clickhouse-single.ts';
import { type Shape, samplesOf, type Workload } from './data.ts';
import { printTable, show } from './figures.ts';
import { queryKinds } from './query-kinds.ts';
import { median } from './random.ts';

const parts = ['inserts', 'nodes', 'single', 'disk', 'queries'] as const;

const help = `node build/bench/clickhouse.js [--rounds N] [--runs N] [--scale F] [--only PART] [--query NAME] [--cpu-prof FOLDER]

Measures Pitwall on ClickHouse beside ClickHouse itself with the same rows and the same statements, in N interleaved
rounds (default 3), and prints medians and ratios. Parts: ${parts.join(', ')}. --scale 0.1 makes the loads a tenth.
Of queries each kind is asked --runs times (default 30), fewer where they take long; --query picks one:
${queryKinds.map(({ name }) => name).join(', ')}, streams. --cpu-prof writes a CPU profile of each node that is measured.
Nothing else should run on the machine. The engine is installed by: npm ci --prefix test/clickhouse`;

interface Settings {
  readonly rounds: number;
  readonly runs: number;
  readonly scale: number;
  readonly query: string | undefined;
  readonly nodeArgs: readonly string[];
}

/** Two million samples at full scale. */
function workloadOf(scale: number, rowsPerPayload: number, shape: Shape = 'decimals'): Workload {
  const streams = Math.max(2, Math.round(50 * scale));
  return { shape, streams, payloadsPerStream: 4000 / rowsPerPayload, rowsPerPayload, parameters: 10 };
}

type Way = readonly [name: string, run: (server: ClickHouseServer, database: string) => Promise<Inserted>];

async function compareLoads(
  server: ClickHouseServer,
  rounds: number,
  ways: readonly Way[],
): Promise<Map<string, Inserted[]>> {
  const all = new Map<string, Inserted[]>();
  for (let round = 0; round < rounds; round++) {
    for (const [i, [name, run]] of (round % 2 === 0 ? ways : ways.toReversed()).entries()) {
      const database = `load_${round}_${i}`;
      const inserted = await run(server, database);
      await server.drop(database);
      all.set(name, [...(all.get(name) ?? []), inserted]);
      console.log(`  round ${round + 1}  ${name}  ${show(inserted.samples / inserted.seconds)} samples/s`);
    }
  }
  return all;
}

const columns: readonly (readonly [string, (inserted: Inserted) => number])[] = [
  ['samples/s', ({ samples, seconds }) => samples / seconds],
  ['p50, ms', ({ p50 }) => p50],
  ['p99, ms', ({ p99 }) => p99],
  ['rows an insert', ({ samples, inserts }) => samples / inserts],
  ['samples/s of a core of Pitwall', ({ samples, nodeCpu }) => samples / nodeCpu],
  ['of a core of ClickHouse', ({ samples, serverCpu }) => samples / serverCpu],
];

function printLoads(names: readonly string[], all: ReadonlyMap<string, Inserted[]>): void {
  const rows = names.map((name) => [name, ...columns.map(([, of]) => show(median(all.get(name)!.map(of))))]);
  printTable([['median', ...columns.map(([title]) => title)], ...rows]);
}

function rateOf(all: ReadonlyMap<string, Inserted[]>, name: string): number {
  return median(all.get(name)!.map(({ samples, seconds }) => samples / seconds));
}

async function benchInserts(server: ClickHouseServer, { rounds, scale, nodeArgs }: Settings): Promise<void> {
  for (const [rowsPerPayload, connections] of [
    [1000, 16],
    [1000, 32],
    [1000, 64],
    [100, 64],
    [100, 256],
  ] as const) {
    const workload = workloadOf(scale, rowsPerPayload);
    const title = `${samplesOf(workload).toLocaleString('en-US')} samples, ${rowsPerPayload}-row payloads of 10 parameters`;
    console.log(`\n${title}, ${connections} connections`);
    // What its writers have under way is all that a node can put into an insert.
    const underWay = { rowsPerInsert: connections * rowsPerPayload * workload.parameters, connections: 1 };
    const ways: Way[] = [
      [
        'Pitwall',
        (at, database) => insertThrough(at, database, workload, { nodes: 1, connections, nodeArgs }),
      ],
      ['directly', (at, database) => insertDirectly(at, database, workload, directly)],
    ];
    if (underWay.rowsPerInsert < directly.rowsPerInsert)
      ways.push([
        'directly, as much under way',
        (at, database) => insertDirectly(at, database, workload, underWay),
      ]);
    const all = await compareLoads(server, rounds, ways);
    const [through, ...others] = ways.map(([name]) => name);
    printLoads([through!, ...others], all);
    for (const other of others) {
      const ratio = rateOf(all, through!) / rateOf(all, other);
      const aim = other === 'directly' ? `, aim 0.5${ratio < 0.5 ? ': missed' : ''}` : '';
      console.log(`ratio to ${other} ${show(ratio)}${aim}`);
    }
  }
}

async function benchNodes(server: ClickHouseServer, { rounds, scale, nodeArgs }: Settings): Promise<void> {
  const workload = workloadOf(scale, 1000);
  console.log('\nOne node and two on the same engine, 1000-row payloads, 16 connections in all');
  const way = (name: string, nodes: number): Way => [
    name,
    (server, database) => insertThrough(server, database, workload, { nodes, connections: 16, nodeArgs }),
  ];
  const all = await compareLoads(server, Math.min(2, rounds), [way('one node', 1), way('two nodes', 2)]);
  printLoads(['one node', 'two nodes'], all);
}

async function benchDisk(server: ClickHouseServer, { scale, nodeArgs }: Settings): Promise<void> {
  console.log('\nBytes a sample on the disk, loaded through Pitwall, after OPTIMIZE … FINAL');
  for (const shape of ['decimals', 'integers'] as const) {
    const workload = workloadOf(scale, 1000, shape);
    const database = `disk_${shape}`;
    await insertThrough(server, database, workload, { nodes: 1, connections: 16, nodeArgs });
    // Those of the warm-up are not of the workload's size.
    const [rows] = await server.rows(database, 'SELECT sum(count) FROM windows');
    await server.untilMerged(database);
    const before = await diskOf(server, database);
    const seconds = await mergeAll(server, database);
    const { bytes, indexBytesPerMark, pieces } = await diskOf(server, database);
    console.log(
      `${shape}: ${show(bytes)} bytes; at rest before ${show(before.bytes)} in ${before.parts} parts`,
    );
    console.log(`  ${pieces.map(([name, size]) => `${name} ${size.toFixed(3)}`).join(', ')}`);
    console.log(
      `  memory of the primary index, bytes a mark: ${show(before.indexBytesPerMark)} before, ${show(indexBytesPerMark)} merged`,
    );
    console.log(
      `  merged ${show(Number(rows![0]) / seconds)} samples/s of a core; rewritten ${show(before.rewrites)} times before that`,
    );
    await server.drop(database);
  }
}

async function benchSingle(server: ClickHouseServer, { scale }: Settings): Promise<void> {
  console.log('\nOne insert at a time, directly; medians of 7, nothing merged meanwhile');
  const sizes = [1, 10_000, 100_000, 1_000_000].filter(
    (size) => size <= Math.max(100_000, 1_000_000 * scale),
  );
  await benchSingleInserts(server, { sizes, runs: 7 });
}

async function benchQueries(
  server: ClickHouseServer,
  { scale, runs, query, nodeArgs }: Settings,
): Promise<void> {
  console.log('\nQueries, and the statements that Pitwall makes of them directly');
  await benchClickHouseQueries(server, {
    streams: Math.max(10, Math.round(1000 * scale)),
    manyStreams: Math.max(1000, Math.round(1_000_000 * scale)),
    runs,
    kind: query,
    nodeArgs,
  });
}

const benches: Record<
  (typeof parts)[number],
  (server: ClickHouseServer, settings: Settings) => Promise<void>
> = {
  inserts: benchInserts,
  nodes: benchNodes,
  single: benchSingle,
  disk: benchDisk,
  queries: benchQueries,
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      runs: { type: 'string', default: '30' },
      scale: { type: 'string', default: '1' },
      only: { type: 'string' },
      query: { type: 'string' },
      'cpu-prof': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  if (engineMissing !== false)
    throw new Error('the ClickHouse engine is missing: npm ci --prefix test/clickhouse');
  const profiles = values['cpu-prof'];
  const settings: Settings = {
    rounds: Number(values.rounds),
    runs: Number(values.runs),
    scale: Number(values.scale),
    query: values.query,
    nodeArgs: profiles === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profiles],
  };
  const started = performance.now();
  for (const part of parts) {
    if (values.only !== undefined && values.only !== part) continue;
    // An engine of its own, so that no part has the leavings of another.
    const server = await startClickHouse();
    try {
      await benches[part](server, settings);
    } finally {
      await server.stop();
    }
  }
  console.log(`\n${((performance.now() - started) / 1000).toFixed(0)} s`);
}

await main();
