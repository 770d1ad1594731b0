import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLease } from '../../src/replicas/lease.ts';

const none = { holder: undefined, sequence: 0 };

describe('the lease', () => {
  it('has the first of those who take it at the same moment, on every node', () => {
    const leases = ['a', 'b'].map((node) => createLease(node, none, () => 0));
    for (const lease of leases) {
      assert.ok(lease.isDue());
      lease.renewing();
      lease.apply('a', 0, 1);
      lease.apply('b', 0, 2);
      assert.deepEqual(lease.state, { holder: 'a', sequence: 1 });
    }
    assert.deepEqual(
      leases.map(({ isOwn }) => isOwn),
      [true, false],
    );
  });

  it('is held while it is renewed, and another may take it after that', () => {
    let now = 0;
    const [a, b] = ['a', 'b'].map((node) => createLease(node, none, () => now)) as [
      ReturnType<typeof createLease>,
      ReturnType<typeof createLease>,
    ];
    let sequence = 0;
    const write = (node: string, after: number): void => {
      sequence++;
      (node === 'a' ? a : b).renewing();
      for (const lease of [a, b]) lease.apply(node, after, sequence);
    };
    write('a', 0);
    for (now = 0; now < 10_000; now += 1000) {
      write('a', a.state.sequence);
      assert.ok(a.isOwn && !b.isDue());
    }
    // It hears nothing any more: it does not believe in its lease before the other takes it.
    now += 3000;
    assert.ok(!a.isOwn);
    assert.ok(!b.isDue());
    now += 2000;
    assert.ok(b.isDue());
    const stale = a.state.sequence;
    write('b', b.state.sequence);
    write('a', stale);
    assert.equal(a.state.holder, 'b');
    assert.equal(b.state.holder, 'b');
  });

  it('is believed in from when a renewal was sent, however late it is read', () => {
    let now = 0;
    const lease = createLease('a', none, () => now);
    lease.renewing();
    now += 1000;
    lease.apply('a', 0, 1);
    assert.ok(lease.isOwn);
    lease.renewing();
    now += 1000;
    // Tried again, as the log has not said that it has it: what is read may be the first.
    lease.renewing();
    now += 9000;
    lease.apply('a', 1, 2);
    assert.ok(!lease.isOwn);
    lease.renewing();
    lease.apply('a', 2, 3);
    assert.ok(lease.isOwn);
    // What an earlier run of it has sent is of no time that this one knows.
    const next = createLease('a', lease.state, () => now);
    next.apply('a', 3, 4);
    assert.ok(!next.isOwn);
  });
});
