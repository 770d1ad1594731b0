import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { insertGroups } from '../../../src/store/clickhouse/insert-group.ts';

/** Groups whose inserts end when the test says so. */
function groupsOf(limits: Partial<Parameters<typeof insertGroups>[0]> = {}) {
  const sent: { rows: readonly string[]; resolve: () => void; reject: (error: Error) => void }[] = [];
  const groups = insertGroups<string>(
    { maxRows: 4, maxBytes: 1000, maxAgeMs: 0, maxInserts: 2, ...limits },
    (rows) =>
      new Promise((resolve, reject) => {
        sent.push({ rows, resolve, reject });
      }),
  );
  const add = (...rows: string[]) => groups.add(rows, { rows: rows.length, bytes: 10 * rows.length });
  return { sent, groups, add };
}

describe('groups of inserts', () => {
  it('sends what comes in one turn together, in its order', async () => {
    const { sent, add } = groupsOf();
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
    const { sent, add } = groupsOf();
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

  it('sends full groups beside inserts under way, up to the limit', async () => {
    const { sent, add } = groupsOf();
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
    const { sent, add } = groupsOf();
    const added = add('a', 'b', 'c', 'd', 'e', 'f');
    await turn();
    assert.equal(sent[0]?.rows.length, 6);
    sent[0]!.resolve();
    await added;
  });

  it('fails the calls of a group, and no others', async () => {
    const { sent, add } = groupsOf();
    const failed = [add('a'), add('b')].map((call) => assert.rejects(call, /broken/));
    await turn();
    const next = add('c');
    sent[0]!.reject(new Error('broken'));
    await Promise.all(failed);
    await turn();
    sent[1]!.resolve();
    await next;
  });

  it('is settled when all is answered that was added before', async () => {
    const { sent, add, groups } = groupsOf();
    const first = add('a').catch(() => undefined);
    await turn();
    const second = add('b');
    let isSettled = false;
    const settled = groups.settled().then(() => {
      isSettled = true;
    });
    sent[0]!.reject(new Error('broken'));
    await first;
    await turn();
    assert.equal(isSettled, false);
    const third = add('c');
    sent[1]!.resolve();
    await second;
    await settled;
    await turn();
    sent[2]!.resolve();
    await third;
  });

  it('lets a group that is not full grow to its age', async () => {
    const { sent, add } = groupsOf({ maxAgeMs: 3_600_000 });
    const all = [add('a')];
    await turn();
    assert.equal(sent.length, 0);
    all.push(add('b', 'c', 'd'));
    await turn();
    assert.deepEqual(sent[0]?.rows, ['a', 'b', 'c', 'd']);
    sent[0]!.resolve();
    await Promise.all(all);
  });
});
