import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Place, type Places, readPlaces } from '../../../../src/store/embedded/threads/places.ts';

const never = new AbortController().signal;

/** Asks for places, and notes who gets one. */
function asker(places: Places) {
  const got: string[] = [];
  const held = new Map<string, Place>();
  const ask = (name: string, owner: string, isLong = true, thread?: number): void => {
    const taken = places.take(owner, isLong, never, thread);
    const note = (place: Place): void => {
      got.push(name);
      held.set(name, place);
    };
    if (taken instanceof Promise) taken.then(note);
    else note(taken);
  };
  return {
    got,
    ask,
    give: (name: string) => held.get(name)!.give(),
    threadOf: (name: string) => held.get(name)!.thread,
  };
}

describe('the places of read threads', () => {
  it('are for as many reads as fit, the thread with the fewest first', () => {
    const places = readPlaces(2);
    const { ask, threadOf } = asker(places);
    for (const name of ['1', '2', '3', '4']) ask(name, name);
    assert.deepEqual(['1', '2', '3', '4'].map(threadOf).sort(), [0, 0, 1, 1]);
    assert.equal(places.taken, 4);
  });

  it('are not all taken by one owner', async () => {
    const places = readPlaces(1);
    const { got, ask, give } = asker(places);
    for (const name of ['a1', 'a2', 'a3', 'a4']) ask(name, 'a');
    assert.deepEqual(got, ['a1', 'a2', 'a3']);
    ask('b1', 'b');
    assert.deepEqual(got, ['a1', 'a2', 'a3', 'b1']);
    assert.equal(places.waiting, 1);
    give('b1');
    assert.equal(places.waiting, 1);
    give('a2');
    await new Promise(setImmediate);
    assert.equal(got.at(-1), 'a4');
  });

  it('go to the owner that reads least', async () => {
    const places = readPlaces(1);
    const { got, ask, give } = asker(places);
    for (const name of ['a1', 'a2', 'a3']) ask(name, 'a');
    ask('b1', 'b');
    ask('b2', 'b');
    ask('c1', 'c');
    give('a1');
    await new Promise(setImmediate);
    assert.equal(got.at(-1), 'c1');
  });

  it('for short reads are never taken by long ones', () => {
    const { got, ask } = asker(readPlaces(1));
    for (const owner of ['a', 'b', 'c', 'd', 'e']) ask(owner, owner);
    assert.equal(got.length, 4);
    ask('short', 'a', false);
    assert.equal(got.at(-1), 'short');
  });

  it('are taken again on the same thread', async () => {
    const { got, ask, give, threadOf } = asker(readPlaces(2));
    for (let i = 0; i < 8; i++) ask(String(i), String(i));
    ask('again', 'x', true, 1);
    const onOther = [0, 1, 2, 3, 4, 5, 6, 7].map(String).filter((name) => threadOf(name) === 0);
    give(onOther[0]!);
    await new Promise(setImmediate);
    assert.ok(!got.includes('again'));
    give([0, 1, 2, 3, 4, 5, 6, 7].map(String).find((name) => threadOf(name) === 1)!);
    await new Promise(setImmediate);
    assert.equal(threadOf('again'), 1);
  });

  it('serve two that wait where one gives both a thread and an owner room', async () => {
    const { got, ask, give, threadOf } = asker(readPlaces(2));
    const own = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'];
    for (const name of own) ask(name, 'a');
    ask('b', 'b');
    const full = threadOf('b');
    ask('a7', 'a', true, 1 - full);
    ask('c', 'c', true, full);
    assert.deepEqual(got, [...own, 'b']);
    give(own.find((name) => threadOf(name) === full)!);
    await new Promise(setImmediate);
    assert.deepEqual(got.slice(7).sort(), ['a7', 'c']);
  });

  it('for portions of a read are on threads without reads, and count as those of its owner', () => {
    const places = readPlaces(3);
    const { ask } = asker(places);
    ask('lead', 'a');
    ask('short', 'b', false);
    const [helper, ...others] = places.takeIdle('a', true);
    assert.deepEqual([helper?.thread, others.length, places.taken], [2, 0, 3]);
    assert.deepEqual(places.takeIdle('a', true), []);
    helper!.give();
    for (let i = 0; i < 8; i++) ask(`${i}`, 'a');
    assert.equal(places.taken, 10);
    assert.equal(places.waiting, 0);
    ask('one too many', 'a');
    assert.equal(places.waiting, 1);
  });

  it('are not waited for by who has left before', async () => {
    const places = readPlaces(1);
    const { ask } = asker(places);
    for (const name of ['a', 'b', 'c', 'd']) ask(name, name);
    const left = AbortSignal.abort(new Error('left'));
    await assert.rejects(Promise.resolve(places.take('e', true, left)), /left/);
    assert.equal(places.waiting, 0);
  });

  it('are not kept for who has left', async () => {
    const places = readPlaces(1);
    const { ask, give, got } = asker(places);
    for (const name of ['a', 'b', 'c', 'd']) ask(name, name);
    const leaving = new AbortController();
    const waits = Promise.resolve(places.take('e', true, leaving.signal));
    leaving.abort(new Error('left'));
    await assert.rejects(waits, /left/);
    assert.equal(places.waiting, 0);
    give('a');
    ask('f', 'f');
    assert.equal(got.at(-1), 'f');
  });
});
