import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Kind } from '../../../src/domain/parameter-data.ts';
import type { TokenRecord } from '../../../src/domain/principal.ts';
import { maxTimestamp, minTimestamp } from '../../../src/domain/timestamp.ts';
import type { CountRows } from '../../../src/query/bounds/running-queries.ts';
import { type AggregatePlan, planQuery, type ReadPlan } from '../../../src/query/plan/plan.ts';
import type { Damage } from '../../../src/store/embedded/files/damage.ts';
import { CannotOpen, DirectoryLocked, type EmbeddedStore } from '../../../src/store/embedded/store.ts';
import { verifyStore } from '../../../src/store/embedded/verify.ts';
import type { Change, RowBlock, StreamsChange } from '../../../src/store/store.ts';
import { until } from '../../until.ts';
import { damageTable } from './damage-catalogue.ts';
import { listed } from './listed.ts';
import { type ReadRow, readRows, rowsOfBlock } from './read-rows.ts';
import { rowsOf } from './rows.ts';
import { storeFolder } from './store-folder.ts';

const windowNs = 2n ** 50n;
const folder = storeFolder('store');

function rowsChange(streamId: string, times: readonly bigint[], topic = 'cars', value = 1): Change {
  const rows = rowsOf(times.map((time) => ({ time, cells: { speed: value } })));
  return { type: 'rows', topic, streamId, rows: [rows] };
}

function write(store: EmbeddedStore, ...changes: Change[]): Promise<void> {
  return store.append({ workspace: 'default', changes });
}

async function readOut(blocks: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of blocks);
}

function plan(fields: Partial<ReadPlan> = {}): ReadPlan {
  return {
    workspace: 'default',
    streamIds: undefined,
    topic: undefined,
    from: minTimestamp,
    to: maxTimestamp,
    parameters: [{ kind: Kind.Numeric, name: 'speed' }],
    tagFilters: [],
    order: 'Asc',
    limit: undefined,
    after: undefined,
    ...fields,
  };
}

function change(store: EmbeddedStore, action: StreamsChange['action'], ...streamIds: string[]) {
  return store.changeStreams({ workspace: 'default', action, filter: { streamIds }, now: folder.now });
}

const times = (rows: readonly ReadRow[]) => rows.map(({ timestamp }) => timestamp);
const ids = (store: EmbeddedStore, workspace = 'default') =>
  listed(store.catalog.streams(workspace, {}, folder.now)).map(({ streamId }) => streamId);

async function damagesOf(): Promise<Damage[]> {
  const found: Damage[] = [];
  for await (const damage of verifyStore(folder.directory)) found.push(damage);
  return found;
}

/** Counts values of `speed`. */
async function count(store: EmbeddedStore): Promise<void> {
  const query = planQuery('default', {
    parameters: [{ kind: Kind.Numeric, name: 'speed', aggregation: 'Count' }],
  });
  const blocks = store.aggregate(query as AggregatePlan, new AbortController().signal);
  for await (const block of blocks) assert.ok(block.count > 0);
}

/** Every file below a folder with its bytes. */
function contents(path: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    const name = join(entry.parentPath, entry.name);
    files[name] = entry.isFile() ? readFileSync(name, 'hex') : 'no file';
  }
  return files;
}

function partPath(number: number): string {
  return join(folder.directory, 'parts', `${String(number).padStart(12, '0')}.part`);
}

function partNumbers(): number[] {
  return readdirSync(join(folder.directory, 'parts'))
    .map((name) => Number.parseInt(name, 10))
    .sort((a, b) => a - b);
}

describe('opening a directory', () => {
  it('is refused while another holds it, and possible afterwards', async () => {
    const store = await folder.open();
    await assert.rejects(folder.open(), DirectoryLocked);
    await write(store, rowsChange('a', [1n]));
    await folder.close(store);
    assert.deepEqual(ids(await folder.open()), ['a']);
  });

  it('that cannot be written is refused in one line, and nothing in it changes', async () => {
    await folder.close(await folder.open());
    const before = contents(folder.directory);
    chmodSync(folder.directory, 0o555);
    chmodSync(folder.root, 0o755);
    // For the superuser everything can be written, so it steps back.
    const superuser = process.getuid?.() === 0;
    if (superuser) process.seteuid!(65_534);
    try {
      await assert.rejects(folder.open(), (error) => {
        assert.ok(error instanceof CannotOpen, String(error));
        assert.match(error.message, /cannot be written/);
        assert.ok(!error.message.includes('\n'));
        return true;
      });
    } finally {
      if (superuser) process.seteuid!(0);
      chmodSync(folder.directory, 0o755);
    }
    assert.deepEqual(contents(folder.directory), before);
  });

  it('makes parts of what the log had only when it is told to begin', async () => {
    const killed = await folder.open();
    await write(killed, rowsChange('a', [1n]));
    await folder.close(killed);
    const held = await folder.open({ begin: new Promise(() => undefined), quietMs: 1 });
    await write(held, rowsChange('a', [2n]));
    assert.equal((await readRows(held, plan())).length, 2);
    assert.deepEqual(partNumbers(), []);
    await folder.close(held);
    let begin = (): void => undefined;
    const told = await folder.open({ begin: new Promise<void>((resolve) => (begin = resolve)), quietMs: 1 });
    assert.equal(told.health().parts, 0);
    begin();
    await until(() => told.health().parts > 0);
    assert.equal((await readRows(told, plan())).length, 2);
    await folder.close(told);
    // One that is closed before that seals what it has time for.
    const closed = await folder.open({ begin: new Promise(() => undefined), sealOnCloseMs: 60_000 });
    await write(closed, rowsChange('a', [3n]));
    await folder.close(closed);
    const again = await folder.open();
    assert.equal((await readRows(again, plan())).length, 3);
  });

  it('works where the first start was stopped at any of its steps', async () => {
    mkdirSync(folder.directory);
    writeFileSync(join(folder.directory, 'FORMAT.new'), '');
    await folder.close(await folder.open());
    for (const missing of ['log', 'parts', 'catalog'])
      rmSync(join(folder.directory, missing), { recursive: true });
    const store = await folder.open();
    await write(store, rowsChange('a', [1n]));
    assert.deepEqual(store.health().problems, []);
  });

  it('takes any size of the head', async () => {
    for (const headBytes of [1, 1_000_001, 20_000_003]) {
      const store = await folder.open({
        dataDir: join(folder.root, String(headBytes)),
        headBytes,
        slabBytes: undefined!,
      });
      await write(store, rowsChange('a', [1n]));
      assert.equal(store.health().headBytes % 4096, 0);
      await folder.close(store);
    }
  });

  it('removes parts that no catalogue names, and leaves what is not its own', async () => {
    await folder.close(await folder.open());
    writeFileSync(partPath(77), 'half a part');
    writeFileSync(join(folder.directory, 'parts', 'notes.txt'), 'mine');
    const store = await folder.open();
    assert.deepEqual(readdirSync(join(folder.directory, 'parts')), ['notes.txt']);
    assert.deepEqual(store.health().problems, []);
  });
});

describe('damage', () => {
  /** Two streams in one window, one of them in a second window too: two parts. */
  async function twoParts(): Promise<EmbeddedStore> {
    const store = await folder.open();
    await write(store, rowsChange('a', [1n, 2n]), rowsChange('b', [5n]), rowsChange('a', [windowNs + 7n]));
    return folder.reopenInParts(store, 2);
  }

  async function checkSecondWindowOnly(store: EmbeddedStore, path: string): Promise<void> {
    await assert.rejects(readRows(store, plan()), { code: 'data_damaged' });
    await assert.rejects(readRows(store, plan({ to: 1n })), { code: 'data_damaged' });
    await assert.rejects(count(store), { code: 'data_damaged' });
    assert.deepEqual(times(await readRows(store, plan({ from: 6n }))), [windowNs + 7n]);
    assert.ok(
      store.health().problems.some((problem) => problem.includes(path)),
      String(store.health().problems),
    );
    await write(store, rowsChange('a', [windowNs + 8n]));
    assert.deepEqual(times(await readRows(store, plan({ from: 6n }))), [windowNs + 7n, windowNs + 8n]);
    assert.equal(store.health().writable, true);
  }

  it('in a part fails the reads that touch it and no others, and is named', async () => {
    await folder.close(await twoParts());
    assert.deepEqual(await damagesOf(), []);
    const path = partPath(1);
    const bytes = readFileSync(path);
    for (let i = 0; i < 60; i++) bytes[i]! ^= 0x55;
    writeFileSync(path, bytes);
    const found = await damagesOf();
    assert.ok(found.length > 0 && found.every(({ file }) => file === path));
    await checkSecondWindowOnly(await folder.open(), path);
  });

  it('of a part that is gone fails the reads that touch it and no others, and is named', async () => {
    await folder.close(await twoParts());
    rmSync(partPath(1));
    assert.deepEqual(
      (await damagesOf()).map(({ file }) => file),
      [partPath(1)],
    );
    const store = await folder.open();
    assert.ok(store.health().problems[0]!.includes(partPath(1)));
    await checkSecondWindowOnly(store, partPath(1));
  });

  it('in the catalogue is repaired from what stands before it', async () => {
    await folder.close(await twoParts());
    await damageTable(folder.directory, 'streams', true);
    assert.match((await damagesOf())[0]!.file, /catalog\/snapshot-/);
    const store = await folder.open();
    assert.match(store.health().problems.join(), /snapshot-\d+: bytes \d+ to \d+: .*; nothing is lost$/);
    assert.deepEqual(times(await readRows(store, plan())), [1n, 2n, 5n, windowNs + 7n]);
    await folder.close(store);
    assert.deepEqual(await damagesOf(), []);
    assert.deepEqual((await folder.open()).health().problems, []);
  });

  it('in entries of parts is told, and they are mended from the parts', async () => {
    await folder.close(await twoParts());
    await damageTable(folder.directory, 'parts');
    assert.match((await damagesOf())[0]!.file, /catalog\/snapshot-/);
    const store = await folder.open();
    assert.match(store.health().problems.join(), /part 1 is lost; made anew/);
    assert.deepEqual(times(await readRows(store, plan())), [1n, 2n, 5n, windowNs + 7n]);
    const again = await folder.reopen(store);
    assert.match(again.health().problems.join(), /^the catalogue has lost entries: [^,]*$/);
    assert.deepEqual(await readRows(again, plan({ streamIds: ['b'] })).then(times), [5n]);
    await folder.close(again);
    assert.match((await damagesOf())[0]!.what, /lost at an earlier start/);
  });

  it("in a part's entry and in the part keeps the file, and its number is not used again", async () => {
    await folder.close(await twoParts());
    await damageTable(folder.directory, 'parts');
    writeFileSync(partPath(2), 'no part');
    const store = await folder.open();
    assert.match(store.health().problems.join(), /part 2 is lost/);
    await write(store, rowsChange('c', [1n]));
    const again = await folder.reopenInParts(store, 2);
    assert.deepEqual(partNumbers(), [1, 2, 3]);
    assert.equal(readFileSync(partPath(2), 'utf8'), 'no part');
    assert.deepEqual(times(await readRows(again, plan())), [1n, 1n, 2n, 5n]);
  });

  it('in entries of streams hides these, keeps their rows, and never gives them to others', async () => {
    await folder.close(await twoParts());
    await damageTable(folder.directory, 'streams');
    const store = await folder.open();
    assert.match(store.health().problems.join(), /snapshot-\d+: bytes \d+ to \d+: /);
    assert.deepEqual(ids(store), []);
    await write(store, rowsChange('a', [100n]), rowsChange('new', [200n]));
    const again = await folder.reopenInParts(store, 3);
    assert.deepEqual(times(await readRows(again, plan())), [100n, 200n]);
    assert.deepEqual(partNumbers(), [1, 2, 3]);
  });

  it("in a parameter's entry never gives its values to another", async () => {
    await folder.close(await twoParts());
    await damageTable(folder.directory, 'parameters');
    const store = await folder.open();
    const text = rowsOf([{ time: 1n, cells: { gear: 'N' } }]);
    await write(store, { type: 'rows', topic: 'cars', streamId: 'a', rows: [text] });
    const gear = { kind: Kind.String, name: 'gear' };
    assert.deepEqual(
      (await readRows(store, plan({ parameters: [gear] }))).map(({ timestamp, cells }) => [timestamp, cells]),
      [[1n, ['N']]],
    );
  });

  it('of a catalogue that is not there refuses the start, and changes nothing', async () => {
    await folder.close(await twoParts());
    for (const name of readdirSync(join(folder.directory, 'catalog')))
      rmSync(join(folder.directory, 'catalog', name));
    const before = contents(folder.directory);
    await assert.rejects(
      folder.open(),
      (error) => error instanceof CannotOpen && /catalog is missing/.test(error.message),
    );
    assert.deepEqual(contents(folder.directory), before);
  });

  it('in the log is named, what is whole is served, and the segment is set aside', async () => {
    const store = await folder.open();
    await write(store, rowsChange('a', [1n]));
    await write(store, rowsChange('b', [2n]));
    await write(store, rowsChange('c', [3n]));
    await folder.close(store);
    const [name] = readdirSync(join(folder.directory, 'log')).filter((file) => file.startsWith('segment'));
    const path = join(folder.directory, 'log', name!);
    const bytes = readFileSync(path);
    bytes[4096 + 60]! ^= 1;
    writeFileSync(path, bytes);
    assert.deepEqual(
      (await damagesOf()).map(({ file, from, to }) => [file, from < 4096 + 60 && to > 4096 + 60]),
      [[path, true]],
    );
    const again = await folder.open();
    assert.match(again.health().problems.join(), new RegExp(`${name}: bytes \\d+ to \\d+: record 2 `));
    assert.deepEqual(ids(again), ['a', 'c']);
    assert.deepEqual(times(await readRows(again, plan())), [1n, 3n]);
    await until(() => !existsSync(path));
    const later = await folder.reopen(again);
    assert.deepEqual(times(await readRows(later, plan())), [1n, 3n]);
    assert.match(later.health().problems.join(), /damaged-\d+\.log/);
  });
});

describe('the catalogue', () => {
  const token = (id: string, workspace = 'default'): TokenRecord => ({
    id,
    hash: `hash of ${id}`,
    workspace,
    scopes: ['read'],
    createdAt: 1,
  });

  function everything({ catalog }: EmbeddedStore) {
    return {
      workspaces: new Map(catalog.workspaces().map((workspace) => [workspace.name, workspace])),
      streams: catalog.workspaces().flatMap(({ name }) => listed(catalog.streams(name, {}, folder.now))),
      tokens: catalog.tokens(),
    };
  }

  it('is the same after a stop, from the log and from the manifest', async () => {
    const store = await folder.open();
    await write(store, { type: 'token', token: token('t1') }, { type: 'token', token: token('t2') });
    await write(store, { type: 'workspace', workspace: { name: 'w', createdAt: 5, retention: 10n ** 18n } });
    await write(store, rowsChange('a', [3n, -9n]), rowsChange('a', [2n], 'Bikes'));
    folder.now += 10;
    const properties = { name: 'Lap', location: '/x/y', metadata: { driver: 'J' }, parents: ['p'] };
    await write(store, { type: 'stream', topic: 'CARS', streamId: 'a', properties });
    await write(store, { type: 'revokeToken', id: 't1' });
    await write(store, { type: 'close', topic: 'Bikes', streamId: 'a', endType: 'Aborted' });
    const before = everything(store);
    assert.equal(before.tokens.length, 1);
    assert.deepEqual(
      before.streams.map(({ topic, status }) => [topic, status]),
      [
        ['Bikes', 'Aborted'],
        ['cars', 'Open'],
      ],
    );
    const fromLog = await folder.reopenInParts(store, 2);
    assert.deepEqual(everything(fromLog), before);
    const fromManifest = await folder.reopen(fromLog);
    assert.deepEqual(everything(fromManifest), before);
    assert.equal(fromManifest.catalog.tokenByHash('hash of t2')?.id, 't2');
    assert.equal(fromManifest.catalog.tokenByHash('hash of t1'), undefined);
  });

  it('tells streams that are written to from silent ones where the clock was set back', async () => {
    const store = await folder.open();
    for (const streamId of ['a', 'b']) await write(store, rowsChange(streamId, [1n]));
    folder.now -= 600_000;
    // Nobody has written to `b` since; for how long is not known.
    await write(store, rowsChange('a', [2n]));
    const statuses = ({ catalog }: typeof store) =>
      [0, 60_001].map((ms) =>
        listed(catalog.streams('default', {}, folder.now + ms)).map(({ status }) => status),
      );
    const told = [
      ['Open', 'Interrupted'],
      ['Interrupted', 'Interrupted'],
    ];
    assert.deepEqual(statuses(store), told);
    const fromLog = await folder.reopenInParts(store, 1);
    assert.deepEqual(statuses(fromLog), told);
    assert.deepEqual(statuses(await folder.reopen(fromLog)), told);
  });

  it('tells open, interrupted and ended streams apart, and any write opens', async () => {
    const store = await folder.open();
    const status = (at: number) => listed(store.catalog.streams('default', {}, at))[0]!.status;
    await write(store, rowsChange('a', [1n]));
    assert.deepEqual(
      [status(folder.now), status(folder.now + 60_000), status(folder.now + 60_001)],
      ['Open', 'Open', 'Interrupted'],
    );
    await write(store, { type: 'close', topic: 'cars', streamId: 'a', endType: 'Terminated' });
    assert.deepEqual([status(folder.now), status(folder.now + 60_001)], ['Terminated', 'Terminated']);
    await write(store, { type: 'stream', topic: 'cars', streamId: 'a' });
    assert.equal(status(folder.now), 'Open');
    await write(store, { type: 'close', topic: 'cars', streamId: 'a', endType: 'Closed' });
    await write(store, rowsChange('a', [1n]));
    assert.equal(status(folder.now), 'Open');
  });

  it('never lets lastUpdate go back, though the clock does', async () => {
    const store = await folder.open();
    const lastUpdate = (from: EmbeddedStore) =>
      listed(from.catalog.streams('default', {}, folder.now))[0]!.lastUpdate;
    await write(store, rowsChange('a', [1n]));
    const first = lastUpdate(store);
    folder.now -= 5000;
    await write(store, rowsChange('a', [2n]));
    assert.equal(lastUpdate(store), first);
    folder.now += 9000;
    await write(store, rowsChange('a', [2n]));
    assert.equal(lastUpdate(store), first + 4000);
    assert.equal(lastUpdate(await folder.reopen(store)), first + 4000);
  });

  it('forgets a removed workspace with its tokens, streams and rows, and only that one', async () => {
    const store = await folder.open();
    const there = (...changes: Change[]) => store.append({ workspace: 'w', changes });
    await write(store, rowsChange('a', [1n]), { type: 'token', token: token('mine') });
    await there(rowsChange('a', [1n], 'cars', 7), { type: 'token', token: token('theirs', 'w') });
    const inParts = await folder.reopenInParts(store, 1);
    await inParts.append({ workspace: 'w', changes: [rowsChange('b', [2n])] });
    const removal = write(inParts, { type: 'removeWorkspace', name: 'w' });
    // What is written meanwhile would be removed or not, as it comes: it is refused.
    await assert.rejects(inParts.append({ workspace: 'w', changes: [rowsChange('a', [9n])] }), {
      code: 'overloaded',
    });
    await write(inParts, rowsChange('a', [3n]));
    await removal;
    const isForgotten = async (current: EmbeddedStore) => {
      assert.deepEqual([ids(current, 'w'), ids(current)], [[], ['a']]);
      assert.deepEqual(
        current.catalog.tokens().map(({ id }) => id),
        ['mine'],
      );
      assert.deepEqual(await readRows(current, plan({ workspace: 'w' })), []);
      assert.deepEqual(times(await readRows(current, plan())), [1n, 3n]);
    };
    await isForgotten(inParts);
    const again = await folder.reopen(inParts);
    await isForgotten(again);
    // A new one of that name has nothing of the old one.
    await again.append({ workspace: 'w', changes: [rowsChange('a', [5n])] });
    assert.deepEqual(times(await readRows(again, plan({ workspace: 'w' }))), [5n]);
    const later = await folder.reopen(again);
    assert.deepEqual(times(await readRows(later, plan({ workspace: 'w' }))), [5n]);
  });

  it('hides a soft-deleted stream with its rows until it is restored, in the log and in the manifest', async () => {
    let store = await folder.open();
    await write(store, rowsChange('a', [1n]), rowsChange('b', [2n]));
    await write(store, { type: 'close', topic: 'cars', streamId: 'a', endType: 'Aborted' });
    assert.equal((await change(store, 'softDelete', 'a', 'none')).count, 1);
    assert.equal((await change(store, 'softDelete', 'a')).count, 0);
    for (const next of [
      async () => store,
      () => folder.reopen(store),
      () => folder.reopenInParts(store, 1),
    ]) {
      store = await next();
      assert.deepEqual(ids(store), ['b']);
      assert.deepEqual(times(await readRows(store, plan())), [2n]);
      const hidden = listed(
        store.catalog.streams('default', { includeStatuses: ['SoftDeleted'] }, folder.now),
      );
      assert.deepEqual(
        hidden.map(({ streamId, dataStart }) => [streamId, dataStart]),
        [['a', 1n]],
      );
    }
    assert.equal((await change(store, 'restore', 'a', 'b')).count, 1);
    store = await folder.reopen(store);
    assert.deepEqual(
      listed(store.catalog.streams('default', {}, folder.now)).map(({ streamId, status }) => [
        streamId,
        status,
      ]),
      [
        ['a', 'Aborted'],
        ['b', 'Open'],
      ],
    );
    assert.deepEqual(times(await readRows(store, plan())), [1n, 2n]);
  });

  it('forgets a hard-deleted stream for good; what is written behind it is of another', async () => {
    let store = await folder.open();
    await write(store, rowsChange('a', [1n]), rowsChange('b', [2n]));
    store = await folder.reopenInParts(store, 1);
    await write(store, rowsChange('a', [3n]));
    folder.now += 1000;
    const ahead = write(store, rowsChange('a', [4n]));
    const deleted = change(store, 'hardDelete', 'a');
    const again = change(store, 'hardDelete', 'a');
    const behind = write(store, rowsChange('a', [5n]));
    assert.deepEqual(ids(store), ['a', 'b'], 'it is there until the delete is on disk');
    await Promise.all([ahead, deleted, again, behind]);
    assert.deepEqual([(await deleted).count, (await again).count], [1, 0]);
    assert.deepEqual([...(await deleted).keys()], [{ topic: 'cars', streamId: 'a' }]);
    for (const next of [
      async () => store,
      () => folder.reopen(store),
      () => folder.reopenInParts(store, 2),
    ]) {
      store = await next();
      assert.deepEqual(times(await readRows(store, plan())), [2n, 5n]);
      const [found] = listed(store.catalog.streams('default', { streamIds: ['a'] }, folder.now));
      assert.deepEqual([found?.createdAt, found?.dataStart, found?.dataEnd], [folder.now, 5n, 5n]);
      assert.equal((await change(store, 'restore', 'a')).count, 0);
    }
  });
});

describe('a read', () => {
  it('sees one state from its first block to its last', async () => {
    const store = await folder.open();
    const streams = ['a', 'b', 'c', 'd'];
    await write(store, ...streams.map((id, i) => rowsChange(id, [BigInt(i) * windowNs])));
    const seen: bigint[] = [];
    for await (const block of store.run(plan(), new AbortController().signal)) {
      seen.push(...times(rowsOfBlock(block)));
      await write(store, ...streams.map((id, i) => rowsChange(id, [BigInt(i) * windowNs + 1n])));
    }
    assert.deepEqual(seen, [0n, windowNs, 2n * windowNs, 3n * windowNs]);
    assert.equal((await readRows(store, plan())).length, 8);
  });

  const noted = plan({ parameters: [...plan().parameters, { kind: Kind.String, name: 'note' }] });
  /** A row in the first window and one in the second, apart. */
  const note = (i: number): Change => {
    const rows = [
      rowsOf([{ time: BigInt(i), cells: { speed: i, note: `note ${i}` } }]),
      rowsOf([{ time: BigInt(i) + windowNs, cells: { speed: -i, note: `later ${i}` } }]),
    ];
    return { type: 'rows', topic: 'cars', streamId: `s${i % 7}`, rows };
  };
  const cells = (blocks: readonly RowBlock[]) => blocks.flatMap(rowsOfBlock).map((row) => row.cells);

  it('gives memory that stays as it is while slabs are used again', async () => {
    const store = await folder.open();
    const answers: RowBlock[][] = [];
    for (let i = 0; i < 200; i++) {
      await write(store, note(i));
      const blocks: RowBlock[] = [];
      const [time, streamIds] = [BigInt(i), [`s${i % 7}`]];
      const wanted = { ...noted, streamIds, from: time, to: time };
      for await (const block of store.run(wanted, new AbortController().signal)) blocks.push(block);
      answers.push(blocks);
      await store.room();
    }
    assert.ok(store.health().parts > 0);
    assert.deepEqual(
      answers.map(cells),
      answers.map((_, i) => [[i, `note ${i}`]]),
    );
  });

  it('finds fewer parts, and the same rows, after a quiet time', async () => {
    const busy = await folder.open();
    let written = 0;
    while (busy.health().parts < 6) {
      await write(busy, note(written++));
      await busy.room();
    }
    const before = await readRows(busy, noted);
    assert.equal(before.length, 2 * written);
    await folder.close(busy);
    const quiet = await folder.open({ quietMs: 20 });
    // In each of the two windows what the start takes from the log may come behind the merge, and be too small for one.
    await until(() => quiet.health().parts <= 4);
    assert.deepEqual(await readRows(quiet, noted), before);
    const again = await folder.reopen(quiet);
    assert.deepEqual(await readRows(again, noted), before);
  });

  it('goes on in slabs that have become parts since it began', async () => {
    const store = await folder.open();
    const begun: { first: RowBlock; rest: AsyncIterableIterator<RowBlock> }[] = [];
    for (let i = 0; i < 100; i++) {
      await write(store, note(i));
      if (i % 5 > 0) continue;
      const streamIds = [`s${i % 7}`];
      const blocks = store.run({ ...noted, streamIds }, new AbortController().signal);
      const rest = blocks[Symbol.asyncIterator]() as AsyncIterableIterator<RowBlock>;
      begun.push({ first: (await rest.next()).value, rest });
      await store.room();
    }
    await until(() => store.health().parts >= 8);
    for (let i = 100; i < 200; i++) await write(store, note(i));
    for (const [at, { first, rest }] of begun.entries()) {
      const i = 5 * at;
      const ids = Array.from({ length: i + 1 }, (_, id) => id).filter((id) => id % 7 === i % 7);
      const blocks = [first];
      for await (const block of rest) blocks.push(block);
      assert.deepEqual(cells(blocks), [
        ...ids.map((id) => [id, `note ${id}`]),
        ...ids.map((id) => [-id, `later ${id}`]),
      ]);
    }
  });

  it('ends with the reason of its signal', async () => {
    const store = await folder.open();
    await write(store, rowsChange('a', [1n, windowNs]));
    const controller = new AbortController();
    const blocks = store.run(plan(), controller.signal)[Symbol.asyncIterator]();
    await blocks.next();
    controller.abort(new Error('the client left'));
    await assert.rejects(blocks.next(), /the client left/);
  });

  it('ends so between blocks that are merged of rows which are all read', async () => {
    const store = await folder.open();
    const times = Array.from({ length: 20_000 }, (_, i) => BigInt(i));
    for (const stream of ['a', 'b', 'c']) await write(store, rowsChange(stream, times));
    const controller = new AbortController();
    const blocks = store.run(plan(), controller.signal)[Symbol.asyncIterator]();
    await blocks.next();
    controller.abort(new Error('the client left'));
    await assert.rejects(blocks.next(), /the client left/);
  });

  it('tells of the rows that it reads', async () => {
    const store = await folder.open();
    for (const stream of ['a', 'b']) await write(store, rowsChange(stream, [1n, 2n, windowNs]));
    const signal = new AbortController().signal;
    const parameters = [{ kind: Kind.Numeric, name: 'speed', aggregation: 'Max' } as const];
    const max = planQuery('default', { parameters }) as AggregatePlan;
    for (const read of [
      (count: CountRows) => readOut(store.run(plan(), signal, count)),
      (count: CountRows) => readOut(store.aggregate(max, signal, count)),
      (count: CountRows) => store.tagValues(plan(), 'lap', signal, count),
    ]) {
      let rows = 0;
      await read((count) => {
        rows += count;
      });
      assert.equal(rows, 6);
    }
  });
});

describe('verifyStore', () => {
  it('finds nothing in an unharmed folder.directory, and changes nothing there', async () => {
    const store = await folder.open();
    await write(store, rowsChange('a', [1n]));
    const again = await folder.reopenInParts(store, 1);
    await write(again, rowsChange('a', [2n]));
    await folder.close(again);
    const before = contents(join(folder.directory, 'log'));
    assert.deepEqual(await damagesOf(), []);
    assert.deepEqual(contents(join(folder.directory, 'log')), before);
  });

  it('refuses what is in use, and what is no data directory', async () => {
    await assert.rejects(damagesOf(), CannotOpen);
    mkdirSync(folder.directory);
    await assert.rejects(damagesOf(), CannotOpen);
    await folder.open();
    await assert.rejects(damagesOf(), DirectoryLocked);
  });
});
