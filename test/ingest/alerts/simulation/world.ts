import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { PitwallError } from '../../../../src/errors.ts';
import { type CalculatedKeeper, createCalculatedKeeper } from '../../../../src/ingest/calculated-keeper.ts';
import { type EmbeddedStore, openEmbeddedStore } from '../../../../src/store/embedded/store.ts';
import type { Random } from '../../../store/embedded/random.ts';
import { type AlertsService, alertsService } from '../alerts-service.ts';
import { copyAsKilled } from '../copy-as-killed.ts';
import { answersOf, differences, plainAnswers } from './answers.ts';
import { type PlainAlerts, plainAlerts } from './plain-alerts.ts';
import type { PlainRow } from './plain-expressions.ts';
import { type ListeningTimes, listeningTimes } from './plain-listening.ts';
import type { Clocks } from './random-rows.ts';
import type { Kinds } from './random-rules.ts';

/** What rounds have done so far. */
export interface Counts {
  writes: number;
  /** Events of rules at the ends of rounds, and those of silence among them. */
  events: number;
  silences: number;
  tests: number;
  /** Events of rows of the future. */
  ahead: number;
  pauses: number;
  restarts: number;
  kills: number;
}

/** The service, and what the reference says of it: several where it is open which of two requests came first. */
export interface World {
  readonly root: string;
  readonly kinds: Kinds;
  readonly counts: Counts;
  /** The first time of rows, ns. */
  readonly begin: bigint;
  /** The service's clock, ms. */
  now: number;
  readonly listening: ListeningTimes;
  directory: string;
  store: EmbeddedStore;
  service: AlertsService;
  calculated: CalculatedKeeper;
  possible: PlainAlerts[];
  requests: number;
  readonly streamIds: string[];
  readonly clocks: Map<string, Clocks>;
  readonly earlier: PlainRow[][];
  /** Tells whoever traces what a step does. */
  readonly note: (what: string) => void;
}

/** What is asked of the service, and what the reference makes of it. */
export interface Request {
  readonly what: string;
  ask(): Promise<unknown>;
  apply(plain: PlainAlerts): void;
}

export async function newWorld(
  root: string,
  random: Random,
  counts: Counts,
  note: World['note'],
): Promise<World> {
  const made = {
    root,
    kinds: { hasTies: random.chance(0.4) },
    counts,
    begin: random.pick([0n, -500n, 1_600_000_000_000_000_000n]),
    now: 1_700_000_000_000,
    listening: listeningTimes(1_700_000_000_000),
    directory: join(root, 'data-0'),
    possible: [plainAlerts()],
    requests: 0,
    streamIds: ['s0', 's1', 's2'],
    clocks: new Map(),
    earlier: [],
    note,
  };
  const world = made as unknown as World;
  await open(world, random);
  await world.store.append({
    workspace: 'w',
    changes: [{ type: 'workspace', workspace: { name: 'w', createdAt: 0 } }],
  });
  return world;
}

async function open(world: World, random: Random): Promise<void> {
  const now = () => world.now;
  world.store = await openEmbeddedStore({
    dataDir: world.directory,
    headBytes: 256 * 1024,
    slabBytes: 64 * 1024,
    maxFiles: 2,
    sealOnCloseMs: random.pick([0, 5000]),
    interruptedAfterMs: 1e15,
    clock: now,
    log: { info() {}, warn() {}, error() {} },
  });
  // The service is away for a while.
  away(world, random.pick([0, 0, 3000, 100_000, 3_600_000]));
  world.service = alertsService(world.store, now, '127.0.0.1');
  world.listening.started(world.now);
  world.calculated = createCalculatedKeeper(world.store);
}

/** Time passes in which the service can take no rows. */
export function away(world: World, ms: number): void {
  world.listening.away(world.now, world.now + ms);
  world.now += ms;
}

/** Time passes, of which rules that wait for rows look at each second. */
export async function pass(world: World, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1000) {
    world.now += Math.min(left, 1000);
    world.listening.ticked(world.now);
    await world.service.silence.tick();
  }
}

export async function restart(world: World, random: Random): Promise<void> {
  if (random.chance(0.5)) await world.service.silence.end();
  await world.store.close();
  world.counts.restarts++;
  await open(world, random);
}

/** Goes on from the folder as a kill leaves it, with requests under way. */
export async function kill(world: World, random: Random, requests: readonly Request[]): Promise<void> {
  const done = new Set<Request>();
  const asking = requests.map(async (one) => {
    await askGone(world, one);
    done.add(one);
  });
  const ends = Promise.allSettled(asking);
  for (let turns = random.int(0, 30); turns > 0; turns--) await turn();
  const next = `${world.directory}+`;
  copyAsKilled(world.directory, next);
  const certain = new Set(done);
  await ends;
  await world.store.close();
  rmSync(world.directory, { recursive: true });
  world.directory = next;
  world.counts.kills++;
  const orders = ordersOf(requests).flatMap((order) =>
    Array.from({ length: order.length + 1 }, (_, length) => order.slice(0, length)),
  );
  world.possible = outcomes(
    world.possible,
    orders.filter((order) => [...certain].every((one) => order.includes(one))),
  );
  await open(world, random);
}

/** Requests one after the other. */
export async function take(world: World, ...requests: readonly Request[]): Promise<void> {
  for (const one of requests) {
    world.note(one.what);
    await one.ask();
    for (const plain of world.possible) one.apply(plain);
  }
}

/** Requests at once: they happen in one order or another. */
export async function takeAtOnce(world: World, requests: readonly Request[]): Promise<void> {
  await Promise.all(requests.map((one) => askGone(world, one)));
  world.possible = outcomes(world.possible, ordersOf(requests));
}

/** What it is about may be gone by then. */
async function askGone(world: World, { what, ask }: Request): Promise<void> {
  world.note(what);
  try {
    await ask();
  } catch (error) {
    const isGone = error instanceof PitwallError && /^(alert|stream)_not_found$/.test(error.code);
    if (!isGone) throw error;
  }
}

function outcomes(possible: readonly PlainAlerts[], orders: readonly (readonly Request[])[]): PlainAlerts[] {
  return possible.flatMap((plain) =>
    orders.map((order) => {
      const copy = structuredClone(plain);
      for (const { apply } of order) apply(copy);
      return copy;
    }),
  );
}

function ordersOf(requests: readonly Request[]): (readonly Request[])[] {
  if (requests.length < 2) return [requests];
  return requests.flatMap((first, at) =>
    ordersOf(requests.filter((_, i) => i !== at)).map((others) => [first, ...others]),
  );
}

/** Holds all answers of the service against the reference; gives the values of the events of rules. */
export async function compareAll(world: World): Promise<string[]> {
  const found = await answersOf(world.store, world.service, world.now);
  const expected = world.possible.map((plain) => plainAnswers(plain, found, world.now));
  const alike = world.possible.filter((_, i) => isDeepStrictEqual(expected[i], found));
  if (alike.length === 0) {
    const [nearest] = expected.map((one) => differences(found, one)).sort((a, b) => a.length - b.length);
    const outcomes = expected.length === 1 ? '' : ` (the nearest of ${expected.length} outcomes)`;
    assert.fail(`not what the reference says${outcomes}:\n${nearest!.join('\n')}`);
  }
  world.possible = alike.filter(
    (plain, i) => !alike.slice(0, i).some((earlier) => isDeepStrictEqual(earlier, plain)),
  );
  return [...found.events.values()];
}
