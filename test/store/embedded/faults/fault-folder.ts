import {
  type EmbeddedStore,
  type EmbeddedStoreOptions,
  openEmbeddedStore,
} from '../../../../src/store/embedded/store.ts';
import type { Change } from '../../../../src/store/store.ts';
import { until } from '../../../until.ts';
import { type Random, seededRandom } from '../random.ts';
import { rowsOf, type TestRow } from '../rows.ts';

/** The time (ms) of all that happens in these folders: what is expired must not depend on when a test runs. */
export const faultTime = 1_700_000_000_000;
const second = 10n ** 9n;
const start = BigInt(faultTime) * 1_000_000n;

export function openFaultStore(
  dataDir: string,
  options: Partial<EmbeddedStoreOptions> = {},
): Promise<EmbeddedStore> {
  return openEmbeddedStore({
    dataDir,
    headBytes: 256 * 1024,
    slabBytes: 64 * 1024,
    interruptedAfterMs: 60_000,
    // No merge or flush while answers are asked for.
    quietMs: 3_600_000,
    clock: () => faultTime,
    monotonicMs: () => 0,
    log: { info() {}, warn() {}, error() {} },
    ...options,
  });
}

export const workspaces = ['default', 'other'];

/**
 * Makes a folder with something of everything: workspaces, tokens, streams of two topics with properties and
 * definitions, rows with tags in parts of one window and of many, and in the log, deletes of rows and streams, retention.
 *
 * @param padding bytes of metadata, so many that a stop writes no snapshot of the catalogue
 */
export async function makeFaultFolder(dataDir: string, padding = 0): Promise<void> {
  const random = seededRandom(5);
  let store = await openFaultStore(dataDir);
  const write = async (...changes: Change[]) => {
    for (let full = store.room(); full !== undefined; full = store.room()) await full;
    await store.append({ workspace: 'default', changes });
  };
  await write(
    ...workspaces.slice(1).map(
      (name): Change => ({
        type: 'workspace',
        workspace: { name, createdAt: 5, maxStreams: 7 },
      }),
    ),
    ...['t1', 't2'].map(
      (id): Change => ({
        type: 'token',
        token: { id, hash: `hash of ${id}`, workspace: 'other', scopes: ['read'], createdAt: 4 },
      }),
    ),
    { type: 'topic', topic: 'Bikes', retention: 3600n * second },
  );
  for (let round = 0; round < 12; round++) {
    await write(
      ...['a', 'b', 'c', `s${round}`].map(
        (streamId): Change => ({
          type: 'rows',
          topic: round % 3 === 0 ? 'Bikes' : 'cars',
          streamId,
          rows: [rowsOf(someRows(random, round))],
        }),
      ),
      {
        type: 'stream',
        topic: 'cars',
        streamId: `s${round}`,
        properties: { name: `Lap ${round}`, location: '/x', metadata: { driver: 'J' }, parents: ['a'] },
      },
      {
        type: 'parameterDefinitions',
        topic: 'cars',
        streamId: 'a',
        definitions: [{ id: `p${round}`, name: `Speed ${round}`, minimumValue: round }],
      },
    );
  }
  for (let i = 0; i * 20_000 < padding; i++) {
    await write({
      type: 'stream',
      topic: 'cars',
      streamId: `padded ${i}`,
      properties: { metadata: { text: Buffer.from(random.bytes(10_000)).toString('hex') } },
    });
  }
  const all = { workspace: 'default', streamIds: ['a', 'b'], topic: 'cars', tagFilters: [] };
  await store.deleteRows({ ...all, from: start, to: start + 40n * second });
  await store.changeStreams({
    workspace: 'default',
    action: 'hardDelete',
    filter: { streamIds: ['s4'] },
    now: faultTime,
  });
  await store.changeStreams({
    workspace: 'default',
    action: 'softDelete',
    filter: { streamIds: ['s5'] },
    now: faultTime,
  });
  await store.close();
  store = await openFaultStore(dataDir);
  await until(() => store.health().headBytes === 0, 60);
  // These stay in the log.
  for (let round = 12; round < 15; round++) {
    await write({ type: 'rows', topic: 'cars', streamId: 'late', rows: [rowsOf(someRows(random, round))] });
    await write({ type: 'revokeToken', id: 't1' });
  }
  await store.deleteRows({ ...all, from: start + 300n * second, to: start + 310n * second });
  await store.close();
}

/** What one request of a load writes: rows of a few streams, properties now and then. */
export function loadChanges(random: Random, round: number): Change[] {
  const streamId = random.pick(['a', 'b', 'c', 'late', `s${random.int(0, 30)}`]);
  const rows = [rowsOf(someRows(random, 20 + round).slice(0, random.int(1, 60)))];
  const changes: Change[] = [{ type: 'rows', topic: random.pick(['cars', 'Bikes']), streamId, rows }];
  if (random.chance(0.2)) {
    const properties = { name: `Lap ${round}`, metadata: { driver: random.pick(['J', 'K']) } };
    changes.push({ type: 'stream', topic: 'cars', streamId, properties });
  }
  return changes;
}

/** Rows of a minute each, with times of their own, and some of weeks and months before: few in each of six windows. */
function someRows(random: Random, round: number): TestRow[] {
  return Array.from({ length: 60 }, (_, i): TestRow => {
    const early = i % 10 === 0 ? 1_500_000n * BigInt(1 + i / 10) : 0n;
    return {
      time: start + (BigInt(60 * round + i) - early) * second + BigInt(random.int(0, 999)),
      tags: [['lap', String(i % 3)]],
      cells: {
        speed: random.int(0, 10_000) / 10,
        gear: i % 4 === 0 ? null : `gear ${random.int(1, 6)}`,
        noise: random.next(),
      },
    };
  });
}
