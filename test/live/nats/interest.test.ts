import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createInterest } from '../../../src/live/nats/interest.ts';

/** An interest, with what is subscribed and the least that ever was covered on the way. */
function setUp() {
  const subscribed = new Set<string>();
  const calls: string[] = [];
  const interest = createInterest({
    subscribe(pattern) {
      assert.ok(!subscribed.has(pattern));
      subscribed.add(pattern);
      calls.push(`+${pattern}`);
    },
    unsubscribe(pattern) {
      assert.ok(subscribed.delete(pattern));
      calls.push(`-${pattern}`);
    },
  });
  return { interest, subscribed, calls };
}

function covers(pattern: string, other: string): boolean {
  const others = other.split('.');
  return pattern.split('.').every((step, i) => step === '*' || step === others[i]);
}

describe('what a node subscribes to', () => {
  it('is counted', () => {
    const { interest, calls } = setUp();
    interest.add('w.t.s.data');
    interest.add('w.t.s.data');
    interest.remove('w.t.s.data');
    assert.deepEqual(calls, ['+w.t.s.data']);
    interest.remove('w.t.s.data');
    interest.remove('w.t.s.data');
    assert.deepEqual(calls, ['+w.t.s.data', '-w.t.s.data']);
  });

  it('is the wider pattern alone, without a moment in which neither is there', () => {
    const { interest, calls } = setUp();
    interest.add('w.t.s.data');
    interest.add('w.t.*.data');
    interest.add('w.t.r.data');
    interest.remove('w.t.*.data');
    assert.deepEqual(calls, [
      '+w.t.s.data',
      '+w.t.*.data',
      '-w.t.s.data',
      '+w.t.s.data',
      '+w.t.r.data',
      '-w.t.*.data',
    ]);
  });

  it('covers what is wanted with no pattern to spare, in any order of changes', () => {
    const step = (name: string) => fc.constantFrom('*', `${name}1`, `${name}2`);
    const pattern = fc.tuple(step('t'), step('s'), step('c')).map(([t, s, c]) => `w.${t}.${s}.${c}`);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), pattern), { maxLength: 60 }), (changes) => {
        const { interest, subscribed } = setUp();
        const counts = new Map<string, number>();
        for (const [isAdd, changed] of changes) {
          const count = (counts.get(changed) ?? 0) + (isAdd ? 1 : -1);
          if (count > 0) counts.set(changed, count);
          else counts.delete(changed);
          if (isAdd) interest.add(changed);
          else interest.remove(changed);
          const wanted = [...counts.keys()];
          const least = wanted.filter((one) => !wanted.some((other) => other !== one && covers(other, one)));
          assert.deepEqual([...subscribed].sort(), least.sort());
        }
        assert.deepEqual([...interest.subscribed()].sort(), [...subscribed].sort());
      }),
    );
  });
});
