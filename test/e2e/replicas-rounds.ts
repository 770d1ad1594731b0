import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { randomOf } from '../round-steps.ts';
import { until } from '../until.ts';
import { type SmallDisk, smallDisk } from './faulty-disk.ts';
import { assertSame } from './replicas-checks.ts';
import { clocksIn, clocksMissing } from './replicas-clocks.ts';
import { launchReplicas, namesOf, type Replica, type ReplicaCluster } from './replicas-cluster.ts';
import { faults, type Victims } from './replicas-faults.ts';
import { send } from './service.ts';

/** Nodes over as many servers of the log, all real: in each round one thing goes wrong while writers write to each node. */
export interface ReplicaRounds {
  /** How many nodes there are, and servers. */
  readonly size: number;
  readonly rounds: number;
  readonly seed: number;
  /** The names of the faults that are done. */
  readonly only: RegExp;
  /** Hears of each round when it is over, and of what cannot be tried on this machine. */
  readonly say: (what: string) => void;
}

export interface ReplicaSummary {
  readonly acknowledged: number;
  /** How often the log was found to have lost messages, and began anew. */
  readonly repairs: number;
  /** The longest time (ms) in which no node took a write, by what went wrong. */
  readonly longest: ReadonlyMap<string, number>;
}

/** Enough for the log of the store, and quickly filled. */
const diskMegabytes = 256;
const writersPerNode = 2;
/** Each fault once, then other replicas take their place. */
const roundsOfCluster = faults.length;

export async function replicaRounds({
  size,
  rounds,
  seed,
  only,
  say,
}: ReplicaRounds): Promise<ReplicaSummary> {
  if (clocksMissing !== false) say(`no clock jumps: ${clocksMissing}`);
  const longest = new Map<string, number>();
  const possible = faults.filter(({ name }) => only.test(name));
  let [acknowledged, repairs] = [0, 0];
  for (let first = 0; first < rounds; first += roundsOfCluster) {
    const world = await startWorld(size, say);
    let repaired = 0;
    try {
      for (let round = first; round < Math.min(rounds, first + roundsOfCluster); round++) {
        const random = randomOf(seed, round);
        const fault = random.pick(possible);
        const where = `seed ${seed}, round ${round + 1} of ${rounds}: ${fault.name}`;
        try {
          const { rows, gapMs } = await oneRound(world, `r${round}`, () => fault.run(world, random));
          const began = (await generationOf(world.cluster)) - 1 - repaired;
          repaired += began;
          acknowledged += rows;
          longest.set(fault.name, Math.max(gapMs, longest.get(fault.name) ?? 0));
          const anew = began > 0 ? '; the log had lost messages, and began anew' : '';
          say(`${where}; ${rows} rows, ${Math.round(gapMs)} ms without one${anew}`);
        } catch (error) {
          const told = await toldBy(world.cluster);
          throw new Error(`${where}: ${(error as Error).message}\n${told}`, { cause: error });
        }
      }
      await assertSame(world.cluster);
      repairs += repaired;
    } finally {
      await world.stop();
    }
  }
  return { acknowledged, repairs, longest };
}

interface World extends Victims {
  stop(): Promise<void>;
}

async function startWorld(size: number, say: ReplicaRounds['say']): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-clocks-'));
  const clocks = clocksMissing === false ? clocksIn(folder) : undefined;
  const disks = new Map<string, SmallDisk>();
  for (const name of namesOf('node', size)) {
    const disk = smallDisk(diskMegabytes);
    if (disk !== undefined) disks.set(name, disk);
  }
  if (disks.size < size) say('no disk is full: this user may not mount a small one');
  const cluster = await launchReplicas({
    size,
    ...(clocks && { envOf: clocks.envOf }),
    folderOf: (part) => (disks.has(part) ? join(disks.get(part)!.path, 'data') : undefined),
  });
  await cluster.even();
  return {
    cluster,
    clocks,
    haveSmallDisks: disks.size === size,
    async stop() {
      await cluster.stop();
      for (const disk of disks.values()) disk.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Which generation of the log the nodes have. */
async function generationOf({ nodes }: ReplicaCluster): Promise<number> {
  const [first] = await Promise.all(
    nodes.map(async ({ url }) => (await send(url, '/admin/replicas')).json<{ generation: number }>()),
  );
  return first!.generation;
}

/** What nodes say of themselves, for who looks into a failure. */
async function toldBy({ nodes }: ReplicaCluster): Promise<string> {
  const told = nodes.map(async (node) => `${node.name}: ${(await node.ready())?.text}\n${node.stderr()}`);
  return (await Promise.all(told)).join('\n');
}

/** Rows that came, and the longest time in which none did. */
interface Ledger {
  rows: number;
  gapMs: number;
  lastAt: number;
  isOver: boolean;
}

async function oneRound(
  { cluster }: Victims,
  name: string,
  fault: () => Promise<void>,
): Promise<Pick<Ledger, 'rows' | 'gapMs'>> {
  const ledger: Ledger = { rows: 0, gapMs: 0, lastAt: performance.now(), isOver: false };
  const written = new Map<string, number>();
  const writers = cluster.nodes.flatMap((node) =>
    Array.from({ length: writersPerNode }, (_, i) =>
      writeRows(node, `${name}-${node.name}-${i}`, written, ledger),
    ),
  );
  const more = async (): Promise<void> => {
    const before = new Map(written);
    await until(() => [...written].every(([stream, rows]) => rows >= (before.get(stream) ?? 0) + 5));
  };
  try {
    await until(() => written.size === writers.length);
    await more();
    await fault();
    await more();
  } finally {
    ledger.isOver = true;
  }
  await Promise.all(writers);
  await cluster.even();
  // What servers of the log differ in is seen with the next message.
  await until(async () => (await writeRow(cluster.nodes[0]!, `${name}-end`, 0)) === 200);
  await cluster.even();
  await Promise.all(cluster.nodes.map((node) => check(node, written)));
  return ledger;
}

/** Resolves with the status of the answer, 0 where none came. */
function writeRow({ url }: Replica, stream: string, n: number): Promise<number> {
  const body = JSON.stringify({ timestamps: [n], numericValues: { Speed: [n] } });
  return send(url, `/topics/rounds/streams/${stream}/parameters/data`, { body }).then(
    (reply) => reply.status,
    () => 0,
  );
}

/** Writes row after row, each again until it is acknowledged: row n is n at n ns. */
async function writeRows(
  node: Replica,
  stream: string,
  written: Map<string, number>,
  ledger: Ledger,
): Promise<void> {
  for (let n = 0, isUnderWay = false; !ledger.isOver || isUnderWay; ) {
    isUnderWay = true;
    const status = await writeRow(node, stream, n);
    if (status !== 200) {
      await pause(50);
      continue;
    }
    isUnderWay = false;
    const now = performance.now();
    ledger.gapMs = Math.max(ledger.gapMs, now - ledger.lastAt);
    ledger.lastAt = now;
    ledger.rows++;
    written.set(stream, ++n);
    await pause(5);
  }
}

/** A node has each row that was acknowledged, once and in its place, and no other. */
async function check({ url, name }: Replica, written: ReadonlyMap<string, number>): Promise<void> {
  for (const [stream, rows] of written) {
    const query = { topic: 'rounds', streamIds: [stream], numericParameters: [{ parameterName: 'Speed' }] };
    const { status, text } = await send(url, '/parameters/data', { body: JSON.stringify(query) });
    assert.equal(status, 200, text);
    const { timestamps = [], numericValues } = JSON.parse(text) as {
      timestamps?: number[];
      numericValues?: { Speed?: number[] };
    };
    const wanted = Array.from({ length: rows }, (_, n) => n);
    assert.deepEqual(timestamps, wanted, `${stream} at ${name}`);
    assert.deepEqual(numericValues?.Speed, wanted, `${stream} at ${name}`);
  }
}
