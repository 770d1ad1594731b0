import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PitwallError } from '../../../../src/errors.ts';
import { type EmbeddedStore, openEmbeddedStore } from '../../../../src/store/embedded/store.ts';
import type { Random } from '../random.ts';
import { copyAfterCut, copyAfterKill, settle } from './disk-image.ts';
import type { HeldRead } from './held-reads.ts';
import type { LossyDisk } from './lossy-disk.ts';
import { type PlainStore, plainStore } from './plain-store.ts';

/** What a round has done so far. */
export interface Counts {
  writes: number;
  rows: number;
  /** Rows that lost values to deletes. */
  deleted: number;
  restarts: number;
  kills: number;
  cuts: number;
  faults: number;
  damages: number;
  told: number;
}

/** A change that was asked for, with what the plain store makes of it; `done` when it was acknowledged. */
export interface Request {
  readonly what: string;
  apply(): void;
  /** `unknown`: an answer never came, or one that leaves it open. */
  outcome: 'waiting' | 'done' | 'refused' | 'unknown';
}

export interface World {
  readonly root: string;
  readonly disk: LossyDisk;
  readonly plain: PlainStore;
  readonly counts: Counts;
  /** The store's clock and the one that never goes back, ms. */
  now: number;
  running: number;
  directory: string;
  store: EmbeddedStore;
  /** Requests that were not taken over by the plain store yet, in their order. */
  requests: Request[];
  /**
   * Requests that a full disk refused since it last took one. The log may hold them until it can be written to again, or
   * is closed: a process that ends in another way brings them back.
   */
  leftovers: Request[];
  heldReads: HeldRead[];
  /** What the store logged as an error, and nobody caused. */
  complaints: string[];
  /** Faults are asked for, or were since the store was opened: it may complain, and refuse writes. */
  isFaulty: boolean;
  /** Tells whoever traces what a step does. */
  readonly note: (what: string) => void;
}

const startTime = 1_700_000_000_000;
const dayMs = 86_400_000;

export async function newWorld(
  root: string,
  disk: LossyDisk,
  random: Random,
  counts: Counts,
  note: World['note'],
): Promise<World> {
  const directory = join(root, 'data');
  mkdirSync(directory);
  const world = {
    root,
    disk,
    plain: plainStore(),
    counts,
    now: startTime,
    running: 0,
    directory,
    requests: [],
    leftovers: [],
    heldReads: [],
    complaints: [],
    isFaulty: false,
    note,
  };
  const made: World = Object.assign(world, { store: undefined as unknown as EmbeddedStore });
  await open(made, random);
  settleAll(made);
  return made;
}

/** Time passes: the clock of the machine goes on, and jumps if `jump` (ms) is given. */
export function passTime(world: World, ms: number, jump = 0): void {
  world.running += ms;
  world.now += ms + jump;
  expire(world);
}

/** Tells the plain store by what time rows expire. */
export function expire(world: World): void {
  const { believed, time } = world.store.clock!.read();
  if (believed > time) throw new Error(`rows expire by ${believed}, and it is ${time}`);
  if (believed !== time && time - believed <= dayMs)
    throw new Error(`a clock within a day is held back: ${believed} of ${time}`);
  world.plain.expire(believed);
}

export async function openStore(world: World, directory: string, random: Random): Promise<EmbeddedStore> {
  return openEmbeddedStore({
    dataDir: directory,
    maxFiles: random.pick([2, 16]),
    headBytes: random.pick([128, 256, 512]) * 1024,
    slabBytes: 64 * 1024,
    longRecordBytes: random.pick([0, 1000, 1 << 18]),
    cacheBytes: random.pick([0, 1 << 16, 1 << 22]),
    interruptedAfterMs: 1e15,
    // Now and then rows stay in the log for long.
    quietMs: random.pick([5, 30, 200, 60_000]),
    restMs: random.pick([100, 60_000]),
    sealOnCloseMs: random.pick([0, 5000]),
    readThreads: random.pick([0, 0, 1, 2]),
    // Threads do all reads that they are asked for, and share what is long.
    littleWork: -1,
    sharedMs: 0,
    clock: () => world.now,
    monotonicMs: () => world.running,
    log: {
      info() {},
      warn() {},
      error(fields, message) {
        if (!world.isFaulty) world.complaints.push(`${message} ${JSON.stringify(fields)}`);
      },
    },
  });
}

async function open(world: World, random: Random): Promise<void> {
  world.isFaulty = false;
  world.leftovers = [];
  world.store = await openStore(world, world.directory, random);
  expire(world);
}

/** The problems that the store tells, without those of the clock, and what it logged. */
export function problemsOf({ store, complaints }: Pick<World, 'store' | 'complaints'>): string[] {
  const told = store.health().problems.filter((problem) => !problem.startsWith('the clock of this machine'));
  return [...told, ...complaints];
}

/** Everything on the disk of the world is synced. */
function settleAll({ directory, disk }: World): void {
  settle(directory, disk.record);
}

let folders = 0;

function nextDirectory(world: World): string {
  return join(world.root, `data-${++folders}`);
}

/** A clean stop and a start. */
export async function restart(world: World, random: Random): Promise<void> {
  await settleRequests(world);
  await world.store.close();
  world.counts.restarts++;
  await open(world, random);
}

/** Goes on from a folder as a kill or a power cut leaves it, whatever is under way. */
export async function crash(world: World, random: Random, kind: 'kill' | 'cut'): Promise<void> {
  const { directory, disk, store } = world;
  const next = nextDirectory(world);
  disk.fail(undefined);
  if (kind === 'kill') copyAfterKill(directory, next, disk.record);
  else copyAfterCut(directory, next, disk.record, random);
  for (const request of world.requests) if (request.outcome === 'waiting') request.outcome = 'unknown';
  const left = [...world.leftovers, ...world.requests];
  for (const request of world.leftovers) request.outcome = 'unknown';
  world.requests = [];
  await store.close().catch(() => undefined);
  rmSync(directory, { recursive: true });
  world.directory = next;
  world.counts[kind === 'kill' ? 'kills' : 'cuts']++;
  // What closing settled was asked of the store that is gone.
  world.requests = left;
  await open(world, random);
}

/** Goes on from what `make` puts into a new folder. */
export async function moveTo(
  world: World,
  random: Random,
  make: (directory: string) => Promise<void>,
): Promise<void> {
  await settleRequests(world);
  const next = nextDirectory(world);
  await make(next);
  await world.store.close();
  rmSync(world.directory, { recursive: true });
  world.directory = next;
  await open(world, random);
}

/** A copy of the folder of a store that is stopped, to do what one likes with. */
export function copyFolder(world: World): string {
  const copy = nextDirectory(world);
  cpSync(world.directory, copy, { recursive: true });
  return copy;
}

/**
 * Asks for a change. The plain store makes it when it is known what became of it.
 *
 * @param certainRefusals codes of errors that say that nothing was done
 */
export function request(
  world: World,
  what: string,
  ask: () => Promise<unknown>,
  apply: () => void,
  certainRefusals: readonly string[] = ['disk_full', 'overloaded'],
): Promise<void> {
  const entry: Request = { what, apply, outcome: 'waiting' };
  world.requests.push(entry);
  return ask().then(
    () => {
      if (entry.outcome === 'waiting') entry.outcome = 'done';
    },
    (error: unknown) => {
      if (entry.outcome !== 'waiting') return;
      if (!world.isFaulty || !(error instanceof PitwallError)) throw error;
      if (!['storage_failed', 'disk_full', 'overloaded'].includes(error.code)) throw error;
      entry.outcome = certainRefusals.includes(error.code) ? 'refused' : 'unknown';
    },
  );
}

/** Waits for all answers, and has the plain store do what was done. What is unknown waits for the next start. */
export async function settleRequests(world: World): Promise<void> {
  while (world.requests.some(({ outcome }) => outcome === 'waiting'))
    await new Promise((resolve) => setTimeout(resolve, 1));
  for (const asked of world.requests) {
    if (asked.outcome === 'done') world.leftovers = [];
    if (asked.outcome === 'refused') world.leftovers.push(asked);
  }
  world.requests = world.requests.filter(({ outcome }) => outcome !== 'refused');
  while (world.requests[0]?.outcome === 'done') world.requests.shift()!.apply();
  const late = world.requests.find(({ outcome }) => outcome === 'done');
  if (late !== undefined)
    throw new Error(`${late.what} was acknowledged after a request that failed for good`);
}

/**
 * Finds out what became of requests without an answer: they were taken one after the other, so the first few of them are
 * there and the others are not. `matches` says whether the store and the plain one are alike.
 */
export async function resolveUnknown(world: World, matches: () => Promise<void>): Promise<void> {
  const asked = world.requests.map(({ what, outcome }) => `${what}: ${outcome}`);
  world.requests = world.requests.filter(({ outcome }) => outcome !== 'refused');
  // What came before an acknowledged one is there too.
  while (world.requests.some(({ outcome }) => outcome === 'done')) world.requests.shift()!.apply();
  for (;;) {
    try {
      await matches();
      world.requests = [];
      return;
    } catch (error) {
      const next = world.requests.shift();
      if (next === undefined) {
        (error as Error).message += ` (before the start: ${asked.join(', ')})`;
        throw error;
      }
      next.apply();
    }
  }
}
