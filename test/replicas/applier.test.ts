import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../src/domain/parameter-data.ts';
import { noTags } from '../../src/domain/tags.ts';
import { PitwallError } from '../../src/errors.ts';
import { createAlerts } from '../../src/ingest/alerts/alerts.ts';
import { BatchCommitter } from '../../src/ingest/commit.ts';
import { planQuery, type ReadPlan } from '../../src/query/plan/plan.ts';
import { Applier } from '../../src/replicas/applier.ts';
import { BaseMissing } from '../../src/replicas/begin-record.ts';
import { storeOfLog } from '../../src/replicas/by-log.ts';
import { CannotGoOn, encodeGroup, partsOf } from '../../src/replicas/frame.ts';
import { createLease } from '../../src/replicas/lease.ts';
import { firstPosition, keepPosition, type Position, positionOf } from '../../src/replicas/position.ts';
import { encodeRecord, type LogRecord } from '../../src/replicas/record.ts';
import { createTail } from '../../src/replicas/tail.ts';
import { Waiters } from '../../src/replicas/waiters.ts';
import type { EmbeddedStore } from '../../src/store/embedded/store.ts';
import { readRows } from '../store/embedded/read-rows.ts';
import { storeFolder } from '../store/embedded/store-folder.ts';
import { until } from '../until.ts';

const folder = storeFolder('replicas');
const log = 'the-log';

/** A row at `time` of the one stream, with the value. */
const row = (time: number, value: number, workspace = 'default'): LogRecord => ({
  type: 'write',
  workspace,
  announcements: [
    {
      topic: 't',
      streamId: 's',
      bytes: 10,
      content: {
        type: 'parameterData',
        rows: [
          {
            count: 1,
            base: BigInt(time),
            offsets: Float64Array.of(0),
            tagSets: [noTags],
            tagIndex: undefined,
            columns: [{ kind: Kind.Numeric, name: 'a', values: Float64Array.of(value), present: undefined }],
          },
        ],
      },
    },
  ],
  more: [],
});

/** A node that applies messages to a store, whose disk may be full. */
function nodeOn(store: EmbeddedStore, position: Position = positionOf(store, log) ?? firstPosition(log)) {
  const ending = new AbortController();
  let isFull = false;
  const begun: number[] = [];
  const applied: number[] = [];
  const local = storeOfLog({
    ...store,
    append(batch) {
      if (isFull) return Promise.reject(new PitwallError('disk_full'));
      for (const change of batch.changes)
        if (change.type === 'rows') begun.push(Number(change.rows[0]!.base));
      return store.append(batch);
    },
  });
  const live = { capture: () => undefined, publish() {}, missed() {}, ended() {} };
  const alerts = createAlerts(store.catalog, { now: () => folder.now, aheadMs: 60_000 });
  const waiters = new Waiters();
  const applier = new Applier({
    store: local,
    committer: new BatchCommitter(local, live, alerts),
    states: alerts.states,
    lease: createLease('a', position.lease, () => performance.now()),
    waiters,
    tail: createTail(position, { found: [], add() {}, replace() {} }),
    clock: { now: () => folder.now, advance() {}, keep() {} },
    position,
    onApplied: (sequence) => applied.push(sequence),
    signal: ending.signal,
    log: { error() {} },
  });
  return {
    applier,
    waiters,
    begun,
    applied,
    end: () => ending.abort(),
    fill: (full: boolean) => {
      isFull = full;
    },
  };
}

let numbers = 0;
/** A message for each part of a group of these records. */
const messages = (from: number, records: readonly LogRecord[], mostBytes = 1 << 20, number = ++numbers) =>
  partsOf(
    { sender: 'a', number, after: { sequence: 0, chain: 0 } },
    encodeGroup(records.map((record, i) => ({ id: `${from}.${i}`, record: encodeRecord(record) }))),
    mostBytes,
  ).map((data, i) => ({ sequence: from + i, at: folder.now, data }));

/** Times and values of the one stream. */
async function rowsOf(store: EmbeddedStore, workspace = 'default') {
  const parameters = [{ kind: Kind.Numeric, name: 'a', aggregation: 'None' as const }];
  const plan = planQuery(workspace, { topic: 't', streamIds: ['s'], parameters }) as ReadPlan;
  return (await readRows(store, plan)).map(({ timestamp, cells }) => [Number(timestamp), cells[0]]);
}

describe('the position of a node', () => {
  it('stays beside the one with which it would begin another log', async () => {
    const store = await folder.open();
    const node = nodeOn(store);
    await node.applier.apply(messages(1, [row(1, 1)])[0]!);
    await node.applier.settled();
    const next = { ...firstPosition('the-next', 9), base: 'b' };
    await store.append({ workspace: 'default', changes: [keepPosition(next, 'next')] });
    assert.equal(positionOf(store, log)?.sequence, 1);
    assert.equal(positionOf(store, 'the-next')?.base, 'b');
    await store.close();
  });
});

describe('the applier', () => {
  it('begins nothing while the disk takes nothing, then what it refused in its order', async () => {
    const store = await folder.open();
    const node = nodeOn(store);
    const told = node.waiters.wait('2.0').catch((error: PitwallError) => error.code);
    await node.applier.apply(messages(1, [row(1, 1)])[0]!);
    await node.applier.settled();
    node.fill(true);
    await node.applier.apply(messages(2, [row(5, 9), row(2, 2)])[0]!);
    assert.equal(await told, 'disk_full');
    assert.match(node.applier.problem!, /cannot apply/);
    const later = node.applier.apply(messages(3, [row(1, 3)])[0]!);
    assert.equal(node.applier.applied, 1);
    assert.deepEqual(node.begun, [1]);
    node.fill(false);
    await later;
    await node.applier.settled();
    assert.deepEqual(node.begun, [1, 5, 2, 1]);
    assert.deepEqual(await rowsOf(store), [
      [1, 3],
      [2, 2],
      [5, 9],
    ]);
    assert.equal(node.applier.problem, undefined);
    assert.equal(positionOf(store, log)?.sequence, 3);
    assert.deepEqual(node.applied, [1, 2, 3]);
  });

  it('lets go of what the disk refuses at a stop, and the next start applies it', async () => {
    let store = await folder.open();
    let node = nodeOn(store);
    node.fill(true);
    const message = messages(1, [row(1, 1)])[0]!;
    await node.applier.apply(message);
    await until(() => node.applier.problem !== undefined);
    node.end();
    await node.applier.settled();
    assert.equal(node.applier.applied, 0);
    store = await folder.reopen(store);
    assert.equal(positionOf(store, log), undefined);
    node = nodeOn(store);
    await node.applier.apply(message);
    await node.applier.settled();
    assert.deepEqual(await rowsOf(store), [[1, 1]]);
  });

  it('goes on after a start inside a group of several messages, and applies nothing twice', async () => {
    let store = await folder.open();
    const parts = messages(1, [row(1, 1), row(2, 1)], 120);
    assert.ok(parts.length > 2);
    const behind = messages(parts.length + 2, [row(4, 4)])[0]!;
    const [between] = messages(2, [row(3, 3)]).map((message) => ({ ...message, sequence: 2 }));
    // Another node writes between the parts.
    const other = partsOf(
      { sender: 'b', number: 1, after: { sequence: 0, chain: 0 } },
      encodeGroup([{ id: 'b', record: encodeRecord(row(3, 3)) }]),
      1 << 20,
    )[0]!;
    const all = [
      { ...parts[0]!, sequence: 1 },
      { ...between!, data: other },
      ...parts.slice(1).map((part, i) => ({ ...part, sequence: 3 + i })),
      behind,
    ];
    const first = nodeOn(store);
    for (const message of all.slice(0, 3)) await first.applier.apply(message);
    await first.applier.settled();
    assert.equal(positionOf(store, log)?.from, 1);
    store = await folder.reopen(store);
    const node = nodeOn(store);
    for (const message of all) await node.applier.apply(message);
    await node.applier.settled();
    assert.deepEqual(node.begun, [1, 2, 4]);
    assert.ok(node.applied.every((sequence, i) => sequence > (node.applied[i - 1] ?? 2)));
    assert.deepEqual(await rowsOf(store), [
      [1, 1],
      [2, 1],
      [3, 3],
      [4, 4],
    ]);
  });

  it('takes what the log has, whatever the limits of a workspace say here', async () => {
    const store = await folder.open();
    const workspace = { name: 'small', createdAt: 0, maxBytes: 1, maxStreams: 1 };
    await store.append({ workspace: 'default', changes: [{ type: 'workspace', workspace }] });
    const node = nodeOn(store);
    for (let i = 1; i <= 3; i++) await node.applier.apply(messages(i, [row(i, i, 'small')])[0]!);
    await node.applier.settled();
    assert.equal((await rowsOf(store, 'small')).length, 3);
    const change = { type: 'rows', topic: 't', streamId: 's', rows: [] } as const;
    assert.throws(
      () => store.admit!({ workspace: 'small', changes: [change] }),
      (error: PitwallError) => error.code === 'workspace_full',
    );
  });

  it('does not bring a workspace back that is gone', async () => {
    const store = await folder.open();
    const node = nodeOn(store);
    const told = node.waiters.wait('1.0').catch((error: PitwallError) => error.code);
    const changes = [{ type: 'keep', kind: 'view', topic: undefined, id: 'v', body: '{}' }] as const;
    await node.applier.apply(messages(1, [{ type: 'append', workspace: 'gone', changes }])[0]!);
    assert.equal(await told, 'forbidden');
    assert.equal(store.catalog.workspace('gone'), undefined);
  });

  it('stops before a message that it cannot read, and applies all of it after an upgrade', async () => {
    const store = await folder.open();
    const older = nodeOn(store);
    const first = messages(1, [row(1, 1)])[0]!;
    await older.applier.apply(first);
    await older.applier.settled();
    const readable = messages(2, [row(2, 2), row(3, 3)])[0]!;
    const unknown = { type: 'later' } as never as LogRecord;
    await assert.rejects(
      older.applier.apply(messages(2, [row(2, 2), unknown])[0]!),
      /cannot read message 2 of the log .*: upgrade this node/,
    );
    for (const data of [Buffer.from('of another program'), Buffer.alloc(0), readable.data.subarray(0, -1)])
      await assert.rejects(older.applier.apply({ ...readable, data }), CannotGoOn);
    assert.deepEqual(await rowsOf(store), [[1, 1]]);
    assert.deepEqual([older.applier.applied, positionOf(store, log)?.sequence], [1, 1]);
    const newer = nodeOn(store);
    for (const message of [first, readable]) await newer.applier.apply(message);
    await newer.applier.settled();
    assert.deepEqual(await rowsOf(store), [
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });

  it('says so where messages are gone, or the log builds on what is not here', async () => {
    const store = await folder.open();
    await assert.rejects(nodeOn(store).applier.apply(messages(2, [row(1, 1)])[0]!), BaseMissing);
    const found = messages(1, [{ type: 'found', node: 'b', base: 'its' }])[0]!;
    await assert.rejects(nodeOn(store).applier.apply(found), BaseMissing);
    const founder = nodeOn(store, { ...firstPosition(log), base: 'its' });
    await founder.applier.apply(found);
    await founder.applier.settled();
    assert.equal(positionOf(store, log)?.sequence, 1);
  });
});
