import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { insertBatches } from '../../../../src/store/clickhouse/insert/insert-batch.ts';
import { until } from '../../../until.ts';

/** Insert batches whose inserts end when the test says so. */
function batchesOf(limits: Partial<Parameters<typeof insertBatches>[0]> = {}) {
  const sent: { rows: readonly string[]; resolve: () => void; reject: (error: Error) => void }[] = [];
  const clock = { now: 0 };
  const batches = insertBatches<string>(
    { maxRows: 4, maxBytes: 1000, maxPartitions: 3, maxAgeMs: 0, maxInserts: 2, ...limits },
    (rows) =>
      new Promise((resolve, reject) => {
        sent.push({ rows, resolve, reject });
      }),
    () => clock.now,
  );
  const add = (...rows: string[]) => batches.add(rows, { rows: rows.length, bytes: 10 * rows.length });
  return { sent, batches, add, clock };
}

describe('insert batches', () => {
  it('sends what comes in one turn together, in its order', async () => {
    const { sent, add } = batchesOf();
    const all = Promise.all([add('a'), add('b', 'c')]);
    await turn();
    assert.deepEqual(
      sent.map(({ rows }) => rows),
      [['a', 'b', 'c']],
    );
    sent[0]!.resolve();
    await all;
  });

  it('gathers what comes while an insert is under way', async () => {
    const { sent, add } = batchesOf();
    const first = add('a');
    await turn();
    const second = add('b');
    await turn();
    const third = add('c');
    await turn();
    assert.equal(sent.length, 1);
    sent[0]!.resolve();
    await first;
    await turn();
    assert.deepEqual(sent[1]?.rows, ['b', 'c']);
    sent[1]!.resolve();
    await Promise.all([second, third]);
  });

  it('sends full batches beside inserts under way, up to the limit', async () => {
    const { sent, add } = batchesOf();
    const all = [add('a')];
    await turn();
    all.push(add('b', 'c', 'd'), add('e', 'f'), add('g', 'h', 'i'));
    await turn();
    assert.deepEqual(
      sent.map(({ rows }) => rows.join('')),
      ['a', 'bcd'],
    );
    sent[0]!.resolve();
    await all[0];
    await turn();
    assert.equal(sent[2]?.rows.join(''), 'ef');
    sent[1]!.resolve();
    sent[2]!.resolve();
    await turn();
    sent[3]!.resolve();
    await Promise.all(all);
  });

  it('never splits what one call adds', async () => {
    const { sent, add } = batchesOf();
    const added = add('a', 'b', 'c', 'd', 'e', 'f');
    await turn();
    assert.equal(sent[0]?.rows.length, 6);
    sent[0]!.resolve();
    await added;
  });

  it('takes rows of no more partitions than an insert may have', async () => {
    const { sent, batches } = batchesOf({ maxRows: 100 });
    const add = (row: string, ...partitions: number[]) =>
      batches.add([row], { rows: 1, bytes: 10, partitions: new Set(partitions) });
    const all = Promise.all([add('a', 1, 2), add('b', 2, 3), add('c', 1, 3), add('d', 4), add('e', 1)]);
    await turn();
    assert.deepEqual(
      sent.map(({ rows }) => rows.join('')),
      ['abc'],
    );
    sent[0]!.resolve();
    await until(() => sent.length >= 2);
    assert.equal(sent[1]?.rows.join(''), 'de');
    sent[1]!.resolve();
    await all;
  });

  it('fails the calls of a batch, and no others', async () => {
    const { sent, add } = batchesOf();
    const failed = [add('a'), add('b')].map((call) => assert.rejects(call, /broken/));
    await turn();
    const next = add('c');
    sent[0]!.reject(new Error('broken'));
    await Promise.all(failed);
    await turn();
    sent[1]!.resolve();
    await next;
  });

  it('fails the calls of a batch that cannot be made an insert, and goes on', async () => {
    const batches = insertBatches<string>(
      { maxRows: 4, maxBytes: 1000, maxPartitions: 3, maxAgeMs: 0, maxInserts: 1 },
      (rows) => {
        if (rows.includes('bad')) throw new TypeError('no block of these');
        return Promise.resolve();
      },
    );
    const add = (row: string) => batches.add([row], { rows: 1, bytes: 10 });
    const failed = [add('good'), add('bad')].map((call) => assert.rejects(call, TypeError));
    await Promise.all(failed);
    await add('next');
  });

  it('lets a batch wait for the writers of the insert before it', async () => {
    const { sent, add, clock } = batchesOf({ maxRows: 100 });
    const first = Promise.all([add('a'), add('b')]);
    await turn();
    const behind = add('c');
    clock.now = 100;
    sent[0]!.resolve();
    await first;
    const one = add('d');
    await turn();
    assert.equal(sent.length, 1);
    const other = add('e');
    await turn();
    assert.deepEqual(sent[1]?.rows, ['c', 'd', 'e']);
    sent[1]!.resolve();
    await Promise.all([behind, one, other]);
  });

  it('lets it go without those who do not come', async () => {
    const { sent, add, clock } = batchesOf({ maxRows: 100 });
    const first = Promise.all([add('a'), add('b')]);
    await turn();
    clock.now = 100;
    sent[0]!.resolve();
    await first;
    const late = add('c');
    await turn();
    assert.equal(sent.length, 1);
    clock.now = 120;
    await until(() => sent.length >= 2);
    sent[1]!.resolve();
    await late;
    // Now one is all that is expected.
    const alone = add('d');
    await turn();
    assert.deepEqual(sent[2]?.rows, ['d']);
    sent[2]!.resolve();
    await alone;
  });

  it('lets a batch that is half full go without waiting for more requests', async () => {
    const { sent, add, clock } = batchesOf();
    const first = Promise.all([add('a'), add('b'), add('c')]);
    await turn();
    clock.now = 100;
    sent[0]!.resolve();
    await first;
    const second = add('d', 'e');
    await turn();
    assert.deepEqual(sent[1]?.rows, ['d', 'e']);
    sent[1]!.resolve();
    await second;
  });

  it('sends what comes after a pause at once, and then one insert in each span of its age', async () => {
    const { sent, add, clock } = batchesOf({ maxAgeMs: 3_600_000 });
    const first = add('a');
    await turn();
    sent[0]!.resolve();
    await first;
    const second = add('b');
    await turn();
    assert.equal(sent.length, 1);
    clock.now = 3_600_000;
    const third = add('c');
    await turn();
    assert.deepEqual(sent[1]?.rows, ['b', 'c']);
    sent[1]!.resolve();
    await Promise.all([second, third]);
  });

  it('sends a full batch before its age', async () => {
    const { sent, add } = batchesOf({ maxAgeMs: 3_600_000 });
    const first = add('a');
    await turn();
    sent[0]!.resolve();
    await first;
    const all = [add('b')];
    await turn();
    assert.equal(sent.length, 1);
    all.push(add('c', 'd', 'e'));
    await turn();
    assert.deepEqual(sent[1]?.rows, ['b', 'c', 'd', 'e']);
    sent[1]!.resolve();
    await Promise.all(all);
  });
});
