import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Kind, type ParameterKey } from '../../../src/domain/parameter-data.ts';
import { maxTimestamp, minTimestamp } from '../../../src/domain/timestamp.ts';
import type { ReadPlan } from '../../../src/query/plan/plan.ts';
import { restoreBackup } from '../../../src/store/embedded/restore.ts';
import { type EmbeddedStore, openEmbeddedStore } from '../../../src/store/embedded/store.ts';
import { listed } from './listed.ts';
import { forSeeds, type Random } from './random.ts';
import { cellsOfRows, type ReadRow, readApart, readRows } from './read-rows.ts';
import { type Reference, type ReferenceChange, reference, type StreamChange } from './reference.ts';
import { type Cell, rowsOf, type TestRow } from './rows.ts';

const workspaces = ['default', 'other'] as const;
const topics = ['cars', 'Bikes'] as const;
const streamIds = ['a', 'b', 'é', 'Z'] as const;
/** `x` is written as a number and as a string: two parameters of one name. */
const parameters: readonly ParameterKey[] = [
  { kind: Kind.Numeric, name: 'speed' },
  { kind: Kind.Numeric, name: 'x' },
  { kind: Kind.String, name: 'x' },
  { kind: Kind.String, name: 'gear' },
  { kind: Kind.Binary, name: 'frame' },
];
const tagSets: TestRow['tags'][] = [
  undefined,
  [['lap', '1']],
  [['lap', '2']],
  [
    ['driver', 'J'],
    ['lap', '1'],
  ],
  [['', '']],
];
/** Windows are 2^50 ns long: around the borders of some, at the ends of time, and in our days. */
const anchors = [
  0n,
  -(2n ** 50n),
  3n * 2n ** 50n,
  minTimestamp + 500n,
  maxTimestamp - 3_000_000n,
  17n * 10n ** 17n,
];

/** Far from each other, each in a window of its own: what a slab has there becomes a spread part. */
const farAnchors = Array.from({ length: 60 }, (_, i) => (1300n + 5n * BigInt(i)) * 2n ** 50n + 1000n);

function someAnchor(random: Random): bigint {
  return random.pick(random.chance(0.5) ? anchors : farAnchors);
}

interface World {
  readonly random: Random;
  readonly expected: Reference;
  directory: string;
  store: EmbeddedStore;
  now: number;
  /** What the store logged as an error; nothing here should. */
  readonly complaints: object[];
}

/** One request of the run, in both tongues. */
function request({ random, store }: World): { workspace: string; changes: ReferenceChange[] } {
  const workspace = random.chance(0.85) ? workspaces[0] : workspaces[1];
  const changes = Array.from({ length: random.chance(0.8) ? 1 : random.int(2, 4) }, () => changeOf(random));
  // Closing is for streams that exist by now.
  const known = changes.filter(
    ({ type, ...of }) => type !== 'close' || store.catalog.hasStream(workspace, of.topic, of.streamId),
  );
  return { workspace, changes: known };
}

function changeOf(random: Random): StreamChange {
  const topic = random.pick([...topics, 'CARS']);
  const streamId = random.pick(streamIds);
  const chance = random.next();
  if (chance < 0.04) return { type: 'close', topic, streamId, endType: 'Closed' };
  if (chance < 0.08) return { type: 'stream', topic, streamId };
  if (chance < 0.12) {
    return {
      type: 'stream',
      topic,
      streamId,
      properties: { name: `name ${random.int(0, 9)}`, location: '/x' },
    };
  }
  return { type: 'rows', topic, streamId, rows: someRows(random) };
}

function someRows(random: Random): TestRow[] {
  const anchor = someAnchor(random);
  // Few places close together, so that identities come again; sometimes over a border or two.
  const spread = random.pick([6, 6, 40, 2 ** 51]);
  const used = parameters.filter(() => random.chance(0.5));
  const kinds = new Map((used.length === 0 ? [parameters[0]!] : used).map(({ kind, name }) => [name, kind]));
  return Array.from({ length: random.chance(0.9) ? random.int(1, 12) : random.int(100, 300) }, () => {
    const cells: Record<string, Cell> = {};
    for (const [name, kind] of kinds) cells[name] = random.chance(0.2) ? null : cellOf(random, kind);
    if (Object.values(cells).every((cell) => cell === null)) {
      const [[name, kind]] = [...kinds] as [[string, Kind]];
      cells[name] = cellOf(random, kind);
    }
    const time = anchor + BigInt(random.int(-spread, spread));
    const tags = random.pick(tagSets);
    return { time: clamp(time), cells, ...(tags && { tags }) };
  });
}

function clamp(time: bigint): bigint {
  if (time < minTimestamp) return minTimestamp;
  return time > maxTimestamp ? maxTimestamp : time;
}

function cellOf(random: Random, kind: Kind): Cell {
  if (kind === Kind.Numeric) {
    return random.pick([
      random.int(0, 100),
      random.int(-1e6, 1e6) / 1000,
      Number.NaN,
      -0,
      1e300,
      random.next(),
    ]);
  }
  if (kind === Kind.String) return random.pick(['', 'N', 'é\u0000', `gear ${random.int(0, 20)}`]);
  return random.bytes(random.int(0, 20));
}

async function append(world: World, { workspace, changes } = request(world)): Promise<void> {
  world.expected.apply(workspace, changes, ++world.now);
  await world.store.append({
    workspace,
    changes: changes.map((change) =>
      change.type === 'rows' ? { ...change, rows: [rowsOf(change.rows)] } : change,
    ),
  });
}

/** Every kind of delete: of some streams or a topic, of some parameters or all, of some tags or all. */
async function deleteSome(world: World): Promise<void> {
  const { random, store, expected } = world;
  const anchor = someAnchor(random);
  const span = random.pick([3n, 3n, 30n, 2n ** 51n]);
  const byTopic = random.chance(0.3);
  const which = {
    streamIds: byTopic ? undefined : [random.pick(streamIds), random.pick([...streamIds, 'unknown'])],
    topic: byTopic || random.chance(0.3) ? random.pick(['cars', 'BIKES']) : undefined,
    from: clamp(anchor - span),
    to: clamp(anchor + BigInt(random.int(0, Number(span)))),
    parameters: random.chance(0.5) ? undefined : parameters.filter(() => random.chance(0.4)),
  };
  const lap1 = random.chance(0.3);
  const filters = lap1 ? [{ tag: 'lap', operator: 'Equal', values: ['1'] } as const] : [];
  const hasTags = (key: string) => !lap1 || key.includes('["lap","1"]');
  const workspace = random.pick(['default', ...workspaces]);
  const deleted = expected.deleteRows(workspace, { ...which, hasTags }, ++world.now);
  const { parameters: named, ...selection } = which;
  const selected = { ...selection, workspace, tagFilters: filters };
  const deleting = store.deleteRows(selected, named);
  // Rows that come while it is computed stay.
  const later = random.chance(0.5) ? append(world) : undefined;
  assert.equal(await deleting, deleted, describePlan({ ...planOf(random), ...selected }));
  await later;
}

/** Deletes streams softly or for good, or restores them; what is written behind that is to stay. */
async function changeStreams(world: World): Promise<void> {
  const { random, store, expected, now } = world;
  const workspace = random.pick(['default', ...workspaces]);
  const which = random.chance(0.2)
    ? { topic: random.pick(['cars', 'BIKES']) }
    : { streamIds: [random.pick(streamIds), random.pick([...streamIds, 'unknown'])] };
  const action = random.pick(['softDelete', 'softDelete', 'restore', 'hardDelete'] as const);
  const repeats = action === 'hardDelete' && random.chance(0.3) ? 2 : 1;
  const counts: number[] = [];
  const changing: Promise<{ count: number }>[] = [];
  for (let i = 0; i < repeats; i++) {
    counts.push(expected.changeStreams(workspace, { action, ...which }));
    changing.push(store.changeStreams({ workspace, action, filter: which, now }));
  }
  const later = Array.from({ length: random.int(0, 3) }, () => append(world));
  const changed = (await Promise.all(changing)).map(({ count }) => count);
  assert.deepEqual(changed, counts, `${action} ${JSON.stringify(which)}`);
  await Promise.all(later);
}

function planOf(random: Random): ReadPlan {
  const anchor = someAnchor(random);
  const span = random.pick([3n, 30n, 2n ** 51n]);
  const narrow = random.chance(0.6);
  const wanted = parameters.filter(() => random.chance(0.5));
  return {
    workspace: random.pick([...workspaces, 'default']),
    streamIds: random.chance(0.5)
      ? undefined
      : [random.pick(streamIds), random.pick([...streamIds, 'unknown'])],
    topic: random.chance(0.6) ? undefined : random.pick(['cars', 'BIKES', 'trains']),
    from: narrow ? clamp(anchor - span) : minTimestamp,
    to: narrow ? clamp(anchor + span) : maxTimestamp,
    parameters: [
      ...wanted,
      ...(random.chance(0.1) || wanted.length === 0 ? [{ kind: Kind.Numeric, name: 'none' }] : []),
    ],
    tagFilters: [],
    order: random.pick(['Asc', 'Desc']),
    limit: random.chance(0.4) ? random.int(1, 40) : undefined,
    after: undefined,
  };
}

async function compareRead({ random, store, expected }: World): Promise<void> {
  const plan = planOf(random);
  assert.deepStrictEqual(await readRows(store, plan), expected.read(plan), describePlan(plan));
  const all = { ...plan, order: 'Asc', limit: undefined } as const;
  const apart = await readApart(store, all);
  assert.deepStrictEqual(apart, cellsOfRows(expected.read(all)), `stream by stream: ${describePlan(plan)}`);
  if (!random.chance(0.3)) return;
  // Page by page the same rows come as at once.
  const whole = { ...plan, limit: undefined };
  const pages: ReadRow[] = [];
  for (let page: ReadRow[] | undefined; page === undefined || page.length > 0; ) {
    const last = pages.at(-1);
    const after = last && {
      timestamp: last.timestamp,
      topic: last.topic,
      streamId: last.streamId,
      tags: last.tags,
    };
    page = await readRows(store, { ...plan, limit: random.int(1, 60), after });
    pages.push(...page);
  }
  assert.deepStrictEqual(pages, expected.read(whole), `in pages: ${describePlan(plan)}`);
}

function describePlan(plan: ReadPlan): string {
  return JSON.stringify(plan, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}

function compareStreams({ store, expected, now }: World): void {
  for (const workspace of workspaces) {
    const ordering = [{ by: 'topic', direction: 'Asc' }] as const;
    const includeStatuses = ['Open', 'Closed', 'SoftDeleted'] as const;
    const found = listed(store.catalog.streams(workspace, { ordering, includeStatuses }, now)).map(
      ({ metadata: _, parents: __, timeOfRecording: ___, ...stream }) => stream,
    );
    const streams = expected.streams(workspace);
    assert.deepStrictEqual(found, streams);
    const shown = listed(store.catalog.streams(workspace, {}, now)).length;
    assert.equal(shown, streams.filter(({ status }) => status !== 'SoftDeleted').length);
  }
}

const open = (world: Omit<World, 'store'>) =>
  openEmbeddedStore({
    dataDir: world.directory,
    maxFiles: 2,
    headBytes: 256 * 1024,
    slabBytes: 64 * 1024,
    interruptedAfterMs: 1e9,
    quietMs: 30,
    clock: () => world.now,
    log: { info() {}, warn() {}, error: (fields, message) => world.complaints.push({ fields, message }) },
  });

/** Goes on from a copy of the directory as it stands: what is left of a process that was killed. */
async function crash(world: World): Promise<void> {
  const image = `${world.directory}+`;
  // Copying holds up the thread that all of the store's steps start from, so the copy shows one moment.
  copyDirectory(world.directory, image);
  await world.store.close();
  world.directory = image;
  world.store = await open(world);
}

function copyDirectory(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyDirectory(source, target);
    else if (entry.isFile()) copyFile(source, target);
  }
}

/** A file that is just being removed is not in the copy: a removal that was begun ends meanwhile. */
function copyFile(source: string, target: string): void {
  try {
    copyFileSync(source, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Goes on from what a backup brings back, taken with whatever the store does in the background. */
async function restore(world: World): Promise<void> {
  const copy = `${world.directory}-`;
  const { chunks } = await world.store.backup(new AbortController().signal);
  await restoreBackup(chunks, copy);
  await world.store.close();
  world.directory = copy;
  world.store = await open(world);
}

async function restart(world: World): Promise<void> {
  await world.store.close();
  world.store = await open(world);
}

describe('the embedded store against the reference', () => {
  it('answers every read alike, over seals, merges, restarts, crashes and restores', async () => {
    let mergedParts = 0;
    await forSeeds(
      Number(process.env['MODEL_SEED'] ?? 1),
      Number(process.env['MODEL_RUNS'] ?? 2),
      async (random) => {
        const root = mkdtempSync(join(tmpdir(), 'pitwall-model-'));
        const start = {
          random,
          expected: reference(),
          directory: join(root, 'data'),
          now: 1000,
          complaints: [],
        };
        const world: World = Object.assign(start, { store: await open(start) });
        try {
          for (let step = 0; step < 150; step++) {
            const chance = random.next();
            if (chance < 0.7) {
              // Requests at once share a group commit; their order is that of the calls.
              await Promise.all(Array.from({ length: random.int(1, 4) }, () => append(world)));
            } else if (chance < 0.76) {
              await deleteSome(world);
            } else if (chance < 0.8) {
              await changeStreams(world);
            } else if (chance < 0.9) {
              await compareRead(world);
            } else if (chance < 0.94) {
              compareStreams(world);
            } else if (chance < 0.97) {
              await restart(world);
            } else if (chance < 0.98) {
              await restore(world);
            } else {
              await crash(world);
            }
            while (world.store.room() !== undefined) await world.store.room();
          }
          compareStreams(world);
          for (let read = 0; read < 10; read++) await compareRead(world);
          assert.deepEqual(world.complaints, []);
          const numbers = readdirSync(join(world.directory, 'parts')).map((name) =>
            Number.parseInt(name, 10),
          );
          mergedParts += Math.max(0, ...numbers) - numbers.length;
        } finally {
          await world.store.close();
          rmSync(root, { recursive: true });
        }
      },
    );
    assert.ok(mergedParts > 0, 'parts were merged');
  });
});
