import type { ChildProcess } from 'node:child_process';
import { print } from '../src/store/clickhouse/server/sql.ts';
import { windowNumbers } from '../src/store/clickhouse/server/window-sql.ts';
import { insertRequests, usualRows } from './clickhouse-blocks.ts';
import type { ClickHouseServer } from './clickhouse-server.ts';
import { type Payload, payloads, samplesOf, type Workload } from './data.ts';
import { type LoadResult, load, openConnection } from './driver.ts';
import { percentiles } from './figures.ts';
import { pitwallGet, pitwallWrite, serve } from './pitwall.ts';
import { cpuSecondsOf, stopProcess } from './system.ts';

/** What one load into an empty database gave. */
export interface Inserted {
  readonly samples: number;
  readonly seconds: number;
  /** Milliseconds of a request. */
  readonly p50: number;
  readonly p99: number;
  /** Inserts that the nodes, or the client itself, made of it. */
  readonly inserts: number;
  /** Seconds of processor time of all nodes together, NaN without nodes, and of ClickHouse. */
  readonly nodeCpu: number;
  readonly serverCpu: number;
}

/** How many rows are loaded before the clock starts, as a share of those that are measured. */
const warmUpShare = 0.15;

/** How inserts are sent without a node between. */
export interface DirectOptions {
  readonly rowsPerInsert: number;
  readonly connections: number;
}

/** As large as a node makes them at most, and several at once. */
export const directly: DirectOptions = { rowsPerInsert: usualRows, connections: 4 };

export interface NodesOptions {
  readonly nodes: number;
  /** Of all nodes together. */
  readonly connections: number;
  readonly nodeArgs: readonly string[];
}

/** Loads a workload through fresh nodes, in payloads of JSON that are spread over the nodes. */
export async function insertThrough(
  server: ClickHouseServer,
  database: string,
  workload: Workload,
  { nodes, connections, nodeArgs }: NodesOptions,
): Promise<Inserted> {
  const all: Node[] = [];
  try {
    const store = ['--store', server.urlOf(database)];
    for (let i = 0; i < nodes; i++) all.push(await serve(store, nodeArgs));
    const send = (requests: readonly Buffer[]): Promise<LoadResult[]> =>
      Promise.all(
        all.map(({ port }, node) =>
          load(
            port,
            requests.filter((_, i) => i % nodes === node),
            connections / nodes,
          ),
        ),
      );
    await send(Array.from(warmUpOf(workload), (payload) => pitwallWrite(payload, 'warm-up')));
    const requests = Array.from(payloads(workload), (payload) => pitwallWrite(payload));
    const before = { inserts: await insertsOf(all), server: server.cpuSeconds(), nodes: cpuOf(all) };
    const start = performance.now();
    const loaded = await send(requests);
    const seconds = (performance.now() - start) / 1000;
    const inserted = {
      ...figures(workload, seconds, loaded),
      serverCpu: server.cpuSeconds() - before.server,
      nodeCpu: cpuOf(all) - before.nodes,
      inserts: (await insertsOf(all)) - before.inserts,
    };
    await checkRows(server, database, workload);
    return inserted;
  } finally {
    for (const { child } of all) await stopProcess(child);
  }
}

/** Sends the same rows as Native blocks, made before, to tables as a node makes them. */
export async function insertDirectly(
  server: ClickHouseServer,
  database: string,
  workload: Workload,
  { rowsPerInsert, connections }: DirectOptions,
): Promise<Inserted> {
  await server.makeTables(database, 'synced');
  const blocks = { rowsPerInsert };
  const warmUp = insertRequests(server, database, warmUpOf(workload), { ...blocks, topic: 'warm-up' });
  await load(server.port, [...warmUp], connections);
  const requests = [...insertRequests(server, database, payloads(workload), blocks)];
  const before = server.cpuSeconds();
  const loaded = await load(server.port, requests, connections);
  const serverCpu = server.cpuSeconds() - before;
  await checkRows(server, database, workload);
  const inserts = requests.length;
  return { ...figures(workload, loaded.seconds, [loaded]), inserts, nodeCpu: Number.NaN, serverCpu };
}

interface Node {
  readonly child: ChildProcess;
  readonly port: number;
}

function warmUpOf(workload: Workload): Iterable<Payload> {
  return payloads({ ...workload, streams: Math.ceil(workload.streams * warmUpShare) });
}

function cpuOf(nodes: readonly Node[]): number {
  return nodes.reduce((sum, { child }) => sum + cpuSecondsOf(child), 0);
}

async function insertsOf(nodes: readonly Node[]): Promise<number> {
  let sum = 0;
  for (const { port } of nodes) {
    const connection = await openConnection(port);
    const metrics = (await connection.send(pitwallGet('/metrics'))).toString();
    connection.close();
    sum += Number(/^pitwall_insert_seconds_count (\d+)$/m.exec(metrics)![1]);
  }
  return sum;
}

function figures(workload: Workload, seconds: number, loaded: readonly LoadResult[]) {
  const latencies = loaded.flatMap((each) => [...each.latencies]);
  return { samples: samplesOf(workload), seconds, ...percentiles(Float64Array.from(latencies)) };
}

/** Throws where the values that can be read are not those of the workload. */
async function checkRows(server: ClickHouseServer, database: string, workload: Workload): Promise<void> {
  let sum = 0;
  for (const { values } of payloads(workload)) {
    for (const column of values) for (const value of column) sum += Math.round(value * 1000);
  }
  const text = `SELECT sum(length(times)), sum(arraySum(number -> toInt64(round(number * 1000)), ${print(windowNumbers).text}))
FROM windows WHERE topic = 'bench'`;
  const found = (await server.rows(database, text))[0]!.join();
  const expected = [samplesOf(workload), sum].join();
  if (found !== expected) {
    throw new Error(`${database}: rows and their sum are ${found}, not ${expected}`);
  }
}
