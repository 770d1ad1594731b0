import type { ChildProcess } from 'node:child_process';
import {
  type Asker,
  askDirectly,
  askNode,
  type RecordedQuestion,
  recordKind,
} from './clickhouse-questions.ts';
import { withRecorder } from './clickhouse-recorder.ts';
import type { ClickHouseServer } from './clickhouse-server.ts';
import { recordStreamPage } from './clickhouse-streams.ts';
import { load } from './driver.ts';
import { percentiles, printTable, show } from './figures.ts';
import { pitwallWrite, serve } from './pitwall.ts';
import { makeQueryData, type QueryData, queryPayloads } from './query-data.ts';
import { queryKinds } from './query-kinds.ts';
import { cpuSecondsOf, stopProcess } from './system.ts';

export interface ClickHouseQueryOptions {
  readonly streams: number;
  /** Of which a page is asked; in a database of their own. */
  readonly manyStreams: number;
  /** Measured questions of each kind, fewer where they take long. */
  readonly runs: number;
  /** Only this kind; all where undefined. */
  readonly kind: string | undefined;
  readonly nodeArgs: readonly string[];
}

interface Kind {
  readonly name: string;
  readonly database: string;
  readonly pool: readonly RecordedQuestion[];
}

interface Node {
  readonly child: ChildProcess;
  readonly port: number;
}

/** Unmeasured questions of each kind go before for so long, and so many at least. */
const warmUpMs = 10_000;
const fewestWarmUps = 3;
/** A kind is asked for so long, however many runs are wanted, and so many times at least. */
const longestMs = 6000;
const fewestRuns = 5;
/** For processor time each side is asked alone, for so long. */
const cpuMs = 1500;
/** For questions a second. */
const throughputMs = 4000;
const throughputConnections = 8;
const loadConnections = 32;
const aim = 1.3;

/**
 * Puts the same questions to a node and, as the statements that the node makes of them, to ClickHouse itself, over
 * one connection each and in turn. Every answer is checked.
 */
export async function benchClickHouseQueries(
  server: ClickHouseServer,
  options: ClickHouseQueryOptions,
): Promise<void> {
  const kinds = await prepare(server, options);
  const rows = [
    ['kind', 'Pitwall p50, ms', 'p99', 'directly p50, ms', 'p99', 'ratio', `aim ${aim}`]
      .concat('CPU of Pitwall, ms', 'of ClickHouse, ms', 'of ClickHouse directly, ms')
      .concat('statements'),
  ];
  for (const database of new Set(kinds.map((kind) => kind.database))) {
    const node = await serve(['--store', server.urlOf(database)], options.nodeArgs);
    try {
      for (const kind of kinds.filter((each) => each.database === database)) {
        rows.push(await measureKind(server, node, kind, options.runs));
        console.log(`  ${kind.name} done`);
      }
    } finally {
      await stopProcess(node.child);
    }
  }
  printTable(rows);
  const small = kinds.find(({ name }) => name === 'max-5-8');
  if (small !== undefined) await compareNodes(server, small, options);
}

/** Loads what is asked about and records what nodes ask ClickHouse for it. */
async function prepare(
  server: ClickHouseServer,
  { streams, manyStreams, kind, nodeArgs }: ClickHouseQueryOptions,
): Promise<Kind[]> {
  const kinds: Kind[] = [];
  const wanted = queryKinds.filter(({ name }) => kind === undefined || kind === name);
  if (wanted.length > 0) {
    const data = makeQueryData(streams);
    await loadData(server, 'queries', data, nodeArgs);
    await withRecorder(server, 'queries', async (recorder, node) => {
      for (const each of wanted) {
        const pool = await recordKind(each, data, recorder, node);
        kinds.push({ name: each.name, database: 'queries', pool });
      }
    });
  }
  if (kind === undefined || kind === 'streams') {
    const database = 'many_streams';
    await withRecorder(server, database, async (recorder, node) => {
      const pool = [await recordStreamPage(server, database, manyStreams, recorder, node)];
      kinds.push({ name: 'streams', database, pool });
    });
  }
  if (kinds.length === 0) throw new Error(`there is no query ${kind}`);
  return kinds;
}

async function loadData(
  server: ClickHouseServer,
  database: string,
  data: QueryData,
  nodeArgs: readonly string[],
): Promise<void> {
  const node = await serve(['--store', server.urlOf(database)], nodeArgs);
  try {
    let seconds = 0;
    let requests: Buffer[] = [];
    for (const payload of queryPayloads(data)) {
      requests.push(pitwallWrite(payload));
      if (requests.length < data.streams) continue;
      seconds += (await load(node.port, requests, loadConnections)).seconds;
      requests = [];
    }
    await server.untilMerged(database);
    const samples = data.streams * data.parameters * data.rows;
    const [found] = await server.rows(
      database,
      `SELECT (SELECT sum(count) FROM windows),
        (SELECT count() FROM system.parts WHERE database = '${database}' AND table = 'windows' AND active)`,
    );
    const [count, parts] = found!.map(Number);
    if (count !== samples) throw new Error(`${count} values are there, not ${samples}`);
    console.log(
      `${samples.toLocaleString('en-US')} samples loaded in ${seconds.toFixed(1)} s, ${parts} parts`,
    );
  } finally {
    await stopProcess(node.child);
  }
}

async function measureKind(
  server: ClickHouseServer,
  node: Node,
  { name, pool }: Kind,
  runs: number,
): Promise<string[]> {
  const askers = [await askNode(node.port), await askDirectly(server.port)];
  const times: number[][] = askers.map(() => []);
  let startedAt = performance.now();
  let asked = 0;
  let measured = -1;
  while (measured < runs) {
    const elapsed = performance.now() - startedAt;
    if (measured < 0 && asked >= fewestWarmUps && elapsed >= warmUpMs) {
      measured = 0;
      startedAt = performance.now();
    } else if (measured >= fewestRuns && elapsed >= longestMs) break;
    const question = pool[asked % pool.length]!;
    for (let turn = 0; turn < askers.length; turn++) {
      const which = (asked + turn) % askers.length;
      const start = performance.now();
      const answers = await askers[which]!.ask(question);
      if (measured >= 0) times[which]!.push(performance.now() - start);
      await askers[which]!.check(question, answers);
    }
    asked++;
    if (measured >= 0) measured++;
  }
  for (const asker of askers) asker.close();
  const cpu = await processorTimes(server, node, pool);
  const [own, direct] = times.map((each) => percentiles(Float64Array.from(each)));
  const ratio = own!.p50 / direct!.p50;
  return [
    name,
    ...[own!.p50, own!.p99, direct!.p50, direct!.p99, ratio].map(show),
    ratio <= aim ? '' : 'missed',
    ...cpu.map(show),
    String(pool[0]!.statements.length),
  ];
}

/** Milliseconds of a question: of the node, of ClickHouse for the node, of ClickHouse alone. */
async function processorTimes(
  server: ClickHouseServer,
  { child, port }: Node,
  pool: readonly RecordedQuestion[],
): Promise<[number, number, number]> {
  const [node, forNode] = await cpuOf(await askNode(port), pool, [
    () => cpuSecondsOf(child),
    server.cpuSeconds,
  ]);
  const [alone] = await cpuOf(await askDirectly(server.port), pool, [server.cpuSeconds]);
  return [node!, forNode!, alone!];
}

async function cpuOf(
  asker: Asker,
  pool: readonly RecordedQuestion[],
  clocks: readonly (() => number)[],
): Promise<number[]> {
  const before = clocks.map((clock) => clock());
  const start = performance.now();
  let asked = 0;
  while (asked < fewestWarmUps || performance.now() - start < cpuMs) {
    await asker.ask(pool[asked++ % pool.length]!);
  }
  asker.close();
  return clocks.map((clock, i) => ((clock() - before[i]!) * 1000) / asked);
}

/** Questions a second over several connections: through one node, through two, and directly. */
async function compareNodes(
  server: ClickHouseServer,
  { name, database, pool }: Kind,
  { nodeArgs }: ClickHouseQueryOptions,
): Promise<void> {
  const nodes: Node[] = [];
  try {
    for (let i = 0; i < 2; i++) nodes.push(await serve(['--store', server.urlOf(database)], nodeArgs));
    const [first, second] = nodes.map(({ port }) => port);
    const ways: readonly (readonly [string, (i: number) => Promise<Asker>])[] = [
      ['one node', () => askNode(first!)],
      ['two nodes', (i) => askNode(i % 2 === 0 ? first! : second!)],
      ['directly', () => askDirectly(server.port)],
    ];
    // The first time warms up.
    for (const [, open] of ways) await questionsPerSecond(open, pool, throughputMs / 4);
    for (const [title, open] of ways) {
      const rate = await questionsPerSecond(open, pool, throughputMs);
      console.log(`${name} over ${throughputConnections} connections, ${title}: ${show(rate)} a second`);
    }
  } finally {
    for (const { child } of nodes) await stopProcess(child);
  }
}

async function questionsPerSecond(
  open: (connection: number) => Promise<Asker>,
  pool: readonly RecordedQuestion[],
  ms: number,
): Promise<number> {
  const askers = await Promise.all(Array.from({ length: throughputConnections }, (_, i) => open(i)));
  const start = performance.now();
  let asked = 0;
  await Promise.all(
    askers.map(async (asker) => {
      while (performance.now() - start < ms) {
        const question = pool[asked++ % pool.length]!;
        await asker.check(question, await asker.ask(question));
      }
      asker.close();
    }),
  );
  return (asked * 1000) / (performance.now() - start);
}
