import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { tagSet } from '../../../../src/domain/tags.ts';
import { restoreBackup } from '../../../../src/store/embedded/restore.ts';
import { verifyStore } from '../../../../src/store/embedded/verify.ts';
import type { Change } from '../../../../src/store/store.ts';
import type { Step } from '../../../round-steps.ts';
import type { Random } from '../random.ts';
import {
  certainFrom,
  compareAllRows,
  compareAnswers,
  compareListings,
  compareQuestion,
  compareTagValues,
} from './comparisons.ts';
import { damageStep } from './damage-step.ts';
import { finishReads, holdRead } from './held-reads.ts';
import type { DiskFault } from './lossy-disk.ts';
import { type PlainChange, parameterOf } from './plain-store.ts';
import { randomQuestion, randomRange } from './random-questions.ts';
import {
  changeOf,
  clamp,
  randomChanges,
  randomStreamId,
  tagSets,
  topicNames,
  workspaceNames,
} from './random-writes.ts';
import {
  crash,
  moveTo,
  openStore,
  passTime,
  problemsOf,
  request,
  resolveUnknown,
  restart,
  settleRequests,
  type World,
} from './world.ts';

/** A head that is full takes no rows until parts are made of it; with faults that may never come. */
async function waitForRoom(world: World): Promise<boolean> {
  for (let tries = 0; ; tries++) {
    const room = world.store.room();
    if (room === undefined) return true;
    if (world.isFaulty && tries > 20) return false;
    // Workers keep no process alive: the timer does, until one has made room.
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, world.isFaulty ? 20 : 60_000);
    });
    await Promise.race([room, late]);
    clearTimeout(timer);
    if (!world.isFaulty && tries > 1000) throw new Error('there is no room for writes, and none comes');
  }
}

function append(world: World, workspace: string, changes: readonly PlainChange[]): Promise<void> {
  const { now } = world;
  world.counts.writes++;
  // Closing is for streams that exist by now.
  const known = changes.filter(
    (change) =>
      change.type !== 'close' || world.store.catalog.hasStream(workspace, change.topic, change.streamId),
  );
  // A write of nothing is answered at once: that says nothing of those before it.
  if (known.length === 0) return Promise.resolve();
  return request(
    world,
    `a write to ${workspace}`,
    () => {
      const made = known.map(changeOf);
      return world.store.append({ workspace, changes: made, onCopied: () => made.forEach(spoil) });
    },
    () => world.plain.apply(workspace, known, now),
  );
}

/** The store has copied the rows: what it reads of them now shows. */
function spoil(change: Change): void {
  if (change.type !== 'rows') return;
  for (const { offsets, columns } of change.rows) {
    offsets.fill(-1);
    for (const column of columns) {
      if (column.kind === Kind.Numeric) column.values.fill(-1);
      else column.bytes.fill(0);
    }
  }
}

/** Requests at once share a group commit; their order is that of the calls. */
async function write(world: World, random: Random, wait = true): Promise<void> {
  const count = random.int(1, 5);
  const writes: Promise<void>[] = [];
  for (let i = 0; i < count; i++) {
    const changes = randomChanges(random, world.now);
    const workspace = random.pick(workspaceNames);
    if (await waitForRoom(world)) writes.push(append(world, workspace, changes));
  }
  if (!wait) {
    for (const pending of writes) pending.catch(() => undefined);
    return;
  }
  await Promise.all(writes);
  await settleRequests(world);
}

/** Near a row that is there, mostly: otherwise most deletes would take nothing. */
function rangeToDelete(
  world: World,
  random: Random,
  workspace: string,
): { streamId: string; from: bigint; to: bigint } {
  const streams = world.plain.streams(workspace).filter(({ rows }) => rows.size > 0);
  const anywhere = { streamId: randomStreamId(random), ...randomRange(random, world.now) };
  if (streams.length === 0 || random.chance(0.3)) return anywhere;
  const { streamId, rows } = random.pick(streams);
  const { timestamp } = random.pick([...rows.values()]);
  const span = random.pick([0n, 3n, 100n, 10n ** 9n, 3600n * 10n ** 9n]);
  return { streamId, from: clamp(timestamp - span), to: clamp(timestamp + span) };
}

/** A request under way, and what is to be checked when it and those before it are settled. */
interface Begun {
  readonly done: Promise<void>;
  check(): void;
}

/** @param ofShown only of streams that show now: what makes others show may be under way */
function beginDelete(world: World, random: Random, workspace: string, ofShown = false): Begun | undefined {
  const { streamId, ...range } = rangeToDelete(world, random, workspace);
  const topic = ofShown || random.chance(0.4) ? random.pick(topicNames) : undefined;
  let streamIds =
    ofShown || topic === undefined || random.chance(0.3) ? [streamId, randomStreamId(random)] : undefined;
  if (ofShown) {
    const shown = world.plain.streams(workspace, { streamIds, topic }).filter((one) => !one.softDeleted);
    streamIds = shown.map((one) => one.streamId);
  }
  const lap1 = random.chance(0.3);
  const floors = [...(world.plain.workspaces.get(workspace)?.topics.values() ?? [])]
    .filter(({ name }) => topic === undefined || name.toLowerCase() === topic.toLowerCase())
    .map(({ floor }) => floor);
  const certain = certainFrom(world.plain, workspace, { streamIds, topic });
  // Now and then expired rows are in the range as well; how many these are is not told.
  const least = random.chance(0.8) ? floors.reduce((a, b) => (a > b ? a : b), range.from) : certain;
  if (least !== undefined && least > range.to) return undefined;
  const from = least !== undefined && least > range.from ? least : range.from;
  const names = ['0 speed', '0 x', '1 x', '0 c0', '2 frame'].filter(() => random.chance(0.5));
  const parameters = random.chance(0.5) || names.length === 0 ? undefined : names.map(parameterOf);
  const { now } = world;
  let expected: number | undefined;
  let found: number | undefined;
  const done = request(
    world,
    `a delete of rows in ${workspace}`,
    async () => {
      const tagFilters = lap1 ? ([{ tag: 'lap', operator: 'Equal', values: ['1'] }] as const) : [];
      found = await world.store.deleteRows(
        { workspace, streamIds, topic, from, to: range.to, tagFilters },
        parameters,
      );
    },
    () => {
      const hasTags = (key: string) => !lap1 || key.includes('["lap","1"]');
      const which = { streamIds, topic, from, to: range.to, parameters, hasTags };
      const isCertain = [...(world.plain.workspaces.get(workspace)?.topics.values() ?? [])]
        .filter(({ name }) => topic === undefined || name.toLowerCase() === topic.toLowerCase())
        .every(({ floor }) => from >= floor);
      const count = world.plain.deleteRows(workspace, which, now);
      if (isCertain) expected = count;
      world.counts.deleted += count;
    },
    // It is done before the rows are counted, which may fail.
    ['disk_full'],
  );
  return {
    done,
    check() {
      if (found !== undefined && expected !== undefined)
        assert.equal(found, expected, 'rows that a delete took');
    },
  };
}

async function deleteRows(world: World, random: Random): Promise<void> {
  const workspace = random.pick(workspaceNames);
  const begun = beginDelete(world, random, workspace);
  if (begun === undefined) return;
  await begun.done;
  await settleRequests(world);
  begun.check();
  if (world.requests.length > 0) return;
  world.counts.rows += await compareListings(world, workspace);
  world.counts.rows += await compareTagValues(world, workspace, 'lap');
  if (random.chance(0.5)) world.counts.rows += await compareAllRows(world, workspace);
}

function beginChange(world: World, random: Random): Begun {
  const workspace = random.pick(workspaceNames);
  const byTopic = random.chance(0.1);
  const which = byTopic
    ? { topic: random.pick(topicNames) }
    : { streamIds: [randomStreamId(random), randomStreamId(random)] };
  const action = random.pick(['softDelete', 'restore', 'hardDelete'] as const);
  let found: number | undefined;
  let expected: number | undefined;
  const done = request(
    world,
    `${action} of streams of ${workspace}`,
    async () => {
      found = (await world.store.changeStreams({ workspace, action, filter: which, now: world.now })).count;
    },
    () => {
      expected = world.plain.changeStreams(workspace, action, which);
    },
  );
  return {
    done,
    check() {
      if (found !== undefined && expected !== undefined)
        assert.equal(found, expected, `streams of ${action} ${JSON.stringify(which)}`);
    },
  };
}

async function changeStreams(world: World, random: Random): Promise<void> {
  const begun = beginChange(world, random);
  // What is written behind it is to stay.
  const later =
    random.chance(0.4) && (await waitForRoom(world))
      ? append(world, random.pick(workspaceNames), randomChanges(random, world.now))
      : undefined;
  await begun.done;
  await later;
  await settleRequests(world);
  begun.check();
}

/** Writes and deletes at once: a delete takes what was asked to be written before it, and nothing of what comes after. */
async function storm(world: World, random: Random): Promise<void> {
  const begun: Begun[] = [];
  let comparing: Promise<void> | undefined;
  for (let i = random.int(2, 9); i > 0; i--) {
    const chance = random.next();
    if (chance < 0.5) {
      if (!(await waitForRoom(world))) break;
      const changes = randomChanges(random, world.now).filter(({ type }) => type !== 'close');
      const done = append(world, random.pick(workspaceNames), changes);
      begun.push({ done, check: () => undefined });
      // One at a time: a read that waits for a place on a thread has a later moment.
      if (random.chance(0.4)) comparing ??= compareThreads(world, random);
    } else if (chance < 0.8) {
      const one = beginDelete(world, random, random.pick(workspaceNames), true);
      if (one !== undefined) begun.push(one);
    } else
      for (let turns = random.int(1, 4); turns > 0; turns--)
        await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all([comparing, ...begun.map(({ done }) => done)]);
  await settleRequests(world);
  if (world.requests.length > 0) return;
  for (const { check } of begun) check();
  if (random.chance(0.3)) await compareAll(world);
}

const dayMs = 86_400_000;
const dayNs = 86_400n * 10n ** 9n;

async function setRetention(world: World, random: Random): Promise<void> {
  const retention = random.chance(0.3)
    ? undefined
    : BigInt(random.int(1, random.pick([30, 30, 400]))) * dayNs;
  const workspace = random.pick(workspaceNames);
  const change: PlainChange =
    random.chance(0.8) || workspace === 'default'
      ? { type: 'topic', topic: random.pick(topicNames), retention }
      : {
          type: 'workspace',
          name: workspace,
          createdAt: world.now,
          ...(retention !== undefined && { retention }),
        };
  await append(world, workspace, [change]);
  await settleRequests(world);
}

async function removeWorkspace(world: World, random: Random): Promise<void> {
  const name = random.pick(['other', 'third']);
  if (!world.plain.workspaces.has(name)) return;
  await append(world, 'default', [{ type: 'removeWorkspace', name }]);
  await settleRequests(world);
}

async function jump(world: World, random: Random): Promise<void> {
  await settleRequests(world);
  await finishReads(world);
  const hours = random.pick([1, 20, 23, 24 * 40, -1, -20, -24 * 3]);
  passTime(world, random.pick([1000, 3_600_000, dayMs]), hours * 3_600_000);
  if (random.chance(0.2)) {
    await world.store.clock!.confirm().catch((error: unknown) => {
      if (!world.isFaulty) throw error;
    });
    passTime(world, 1);
  }
}

/** Everything is asked for. */
export async function compareAll(world: World): Promise<void> {
  for (const workspace of new Set(workspaceNames)) {
    world.counts.rows += await compareListings(world, workspace);
    world.counts.rows += await compareAllRows(world, workspace);
  }
}

async function askSome(world: World, random: Random): Promise<void> {
  for (let i = 0; i < 4; i++)
    world.counts.rows += await compareQuestion(
      world,
      random.pick(workspaceNames),
      randomQuestion(random, world.now),
    );
  await compareThreads(world, random);
}

/** The same questions asked of a thread and of this one, at the same moment. They are chosen at once: others may choose meanwhile. */
async function compareThreads(world: World, random: Random): Promise<void> {
  const asked = Array.from({ length: 4 }, () => ({
    workspace: random.pick(workspaceNames),
    question: randomQuestion(random, world.now),
  }));
  if (world.store.readThreads?.() === undefined) return;
  for (const { workspace, question } of asked)
    world.counts.rows += await compareAnswers(world.store, workspace, question);
}

async function settleParts(world: World): Promise<void> {
  for (let tries = 0; tries < 60 && world.store.health().headBytes > 0; tries++)
    await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 40));
}

async function afterCrash(world: World): Promise<void> {
  await resolveUnknown(world, () => compareAll(world));
  assert.deepEqual(problemsOf(world), [], 'problems after a crash');
}

async function crashStep(world: World, random: Random, kind: 'kill' | 'cut'): Promise<void> {
  await finishReads(world);
  if (random.chance(0.7)) await write(world, random, false);
  for (let turns = random.int(0, 12); turns > 0; turns--)
    await new Promise((resolve) => setImmediate(resolve));
  await crash(world, random, kind);
  await afterCrash(world);
}

async function cleanRestart(world: World, random: Random): Promise<void> {
  await finishReads(world);
  await restart(world, random);
  if (random.chance(0.5)) await compareAll(world);
  assert.deepEqual(problemsOf(world), [], 'problems after a clean stop');
}

async function backup(world: World, random: Random): Promise<void> {
  await finishReads(world);
  await settleRequests(world);
  const { chunks } = await world.store.backup(new AbortController().signal);
  if (random.chance(0.5)) {
    await backupInLoad(world, random, chunks);
    return;
  }
  await moveTo(world, random, async (directory) => void (await restoreBackup(chunks, directory)));
  await compareAll(world);
  assert.deepEqual(problemsOf(world), [], 'problems after a restore');
}

/** The backup is taken while writes go on: it has none of them. The plain store has them when all are settled. */
async function backupInLoad(world: World, random: Random, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const { directory, plain, now } = world;
  let writes = random.int(1, 6);
  const paced = async function* () {
    for await (const chunk of chunks) {
      if (writes-- > 0) await write(world, random, false);
      yield chunk;
    }
  };
  const copy = `${directory}-restored`;
  await restoreBackup(paced(), copy);
  const restored = await openStore(world, copy, random);
  try {
    for (const workspace of new Set(workspaceNames)) {
      await compareListings({ store: restored, plain, now }, workspace);
      world.counts.rows += await compareAllRows({ store: restored, plain, now }, workspace);
    }
    assert.deepEqual(problemsOf({ store: restored, complaints: [] }), [], 'problems of the backup');
  } finally {
    await restored.close();
    rmSync(copy, { recursive: true });
  }
  await settleRequests(world);
}

const faults: readonly DiskFault[] = [
  { code: 'ENOSPC', operations: ['open', 'write', 'rename'], path: '', first: 0, times: 1e9 },
  { code: 'ENOSPC', operations: ['write'], path: '/log/', first: 0, times: 3 },
  { code: 'ENOSPC', operations: ['write', 'open'], path: '/parts/', first: 0, times: 5 },
  { code: 'ENOSPC', operations: ['write', 'open'], path: '/catalog/', first: 0, times: 5 },
  { code: 'EIO', operations: ['write'], path: '/log/', first: 1, times: 1 },
  { code: 'EIO', operations: ['sync'], path: '/log/', first: 0, times: 1 },
  { code: 'EIO', operations: ['sync', 'write'], path: '/parts/', first: 0, times: 2 },
  { code: 'EIO', operations: ['sync'], path: '/catalog/', first: 0, times: 1 },
  { code: 'EIO', operations: ['write'], path: '/catalog/', first: 0, times: 1 },
  { code: 'EIO', operations: ['open', 'rename', 'unlink'], path: '', first: 2, times: 2 },
  { code: 'EMFILE', operations: ['open'], path: '', first: 0, times: 6 },
  { code: 'short', operations: ['write'], path: '', first: 0, times: 10 },
];

/** The disk fails for a while, and then the process is started anew, in one way or another. */
async function fault(world: World, random: Random): Promise<void> {
  await finishReads(world);
  await settleRequests(world);
  const chosen = random.pick(faults);
  world.note(`${chosen.code} ${chosen.operations} ${chosen.path}`);
  world.counts.faults++;
  world.isFaulty = true;
  world.disk.fail({ ...chosen, first: chosen.first + random.int(0, 3) });
  for (let i = random.int(1, 4); i > 0; i--) {
    const chance = random.next();
    // A failure that is for good leaves open what became of the last requests: only a start tells.
    if (world.requests.length > 0) break;
    if (chance < 0.7) await write(world, random);
    else if (chance < 0.85) await deleteRows(world, random);
    else await setRetention(world, random);
    await new Promise((resolve) => setTimeout(resolve, random.int(0, 40)));
  }
  if (world.requests.length === 0) await compareAll(world);
  const end = random.next();
  world.note(end < 0.4 ? 'then a restart' : end < 0.7 ? 'then a kill' : 'then a power cut');
  if (end < 0.4) {
    world.disk.fail(undefined);
    await restart(world, random);
  } else await crash(world, random, end < 0.7 ? 'kill' : 'cut');
  world.disk.fail(undefined);
  await afterCrash(world);
}

/** After a clean stop nothing is damaged. */
async function verify(world: World, random: Random): Promise<void> {
  await finishReads(world);
  await settleRequests(world);
  await world.store.close();
  const damages: string[] = [];
  for await (const { file, what } of verifyStore(world.directory)) damages.push(`${file}: ${what}`);
  assert.deepEqual(damages, [], 'what verify finds after a clean stop');
  await restart(world, random);
}

export const steps: readonly Step<World>[] = [
  { name: 'write', weight: 40, run: write },
  { name: 'delete rows', weight: 6, run: deleteRows },
  { name: 'change streams', weight: 4, run: changeStreams },
  { name: 'storm', weight: 8, run: storm },
  { name: 'set a retention', weight: 3, run: setRetention },
  { name: 'remove a workspace', weight: 0.5, run: removeWorkspace },
  { name: 'jump of the clock', weight: 1.5, run: jump },
  { name: 'questions', weight: 14, run: askSome },
  { name: 'compare all', weight: 3, run: compareAll },
  {
    name: 'tag values',
    weight: 2,
    async run(world, random) {
      const tag = random.pick(tagSets.flatMap((pairs) => tagSet(pairs ?? []).pairs.map(([name]) => name)));
      world.counts.rows += await compareTagValues(world, random.pick(workspaceNames), tag);
    },
  },
  { name: 'seal and merge', weight: 5, run: settleParts },
  {
    name: 'hold a read',
    weight: 3,
    run: (world, random) => holdRead(world, random.pick(workspaceNames), randomQuestion(random, world.now)),
  },
  { name: 'finish reads', weight: 2, run: finishReads },
  { name: 'restart', weight: 2, run: cleanRestart },
  { name: 'kill', weight: 2, run: (world, random) => crashStep(world, random, 'kill') },
  { name: 'power cut', weight: 3, run: (world, random) => crashStep(world, random, 'cut') },
  { name: 'backup and restore', weight: 1, run: backup },
  { name: 'fault of the disk', weight: 4, run: fault },
  { name: 'damage', weight: 2, run: damageStep },
  { name: 'verify', weight: 1, run: verify },
];
