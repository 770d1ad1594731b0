import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeGroup, type Framed, Groups, partsOf } from '../../src/replicas/frame.ts';

const records: readonly Framed[] = Array.from({ length: 5 }, (_, i) => ({
  id: `id${i}`,
  record: Buffer.alloc(100 * (i + 1), i),
}));
const after = { sequence: 0, chain: 0 };
const plain = (taken: readonly Framed[] | undefined) =>
  taken?.map(({ id, record }) => ({ id, record: Buffer.from(record) }));

describe('groups of records', () => {
  it('are put together of their parts, in their order', () => {
    const parts = partsOf({ sender: 'a', number: 1, after }, encodeGroup(records), 300);
    assert.ok(parts.length > 5);
    const groups = new Groups();
    for (const [i, part] of parts.entries()) {
      assert.ok(part.length <= 300);
      const taken = groups.take(part, 10 + i, 0);
      if (i < parts.length - 1) {
        assert.equal(taken, undefined);
        assert.equal(groups.firstNeeded(), 10);
      } else assert.deepEqual(plain(taken), records);
    }
    assert.equal(groups.firstNeeded(), undefined);
  });

  it('of two nodes may stand among each other, and a part may come twice', () => {
    const of = (sender: string) => partsOf({ sender, number: 1, after }, encodeGroup(records), 400);
    const [a, b] = [of('a'), of('b')];
    const groups = new Groups();
    const done: unknown[] = [];
    for (let i = 0; i < a.length; i++) {
      for (const part of [a[i]!, b[i]!, ...(i < a.length - 1 ? [b[i]!] : [])]) {
        const taken = groups.take(part, i, 0);
        if (taken !== undefined) done.push(plain(taken));
      }
    }
    assert.deepEqual(done, [records, records]);
  });

  it('are whole also where a part of one that was given up comes late', () => {
    const of = (number: number) => partsOf({ sender: 'a', number, after }, encodeGroup(records), 300);
    const [old, now] = [of(1), of(2)];
    const groups = new Groups();
    groups.take(now[0]!, 1, 0);
    assert.equal(groups.take(old[1]!, 2, 0), undefined);
    const [single] = partsOf({ sender: 'a', number: 0, after }, encodeGroup(records.slice(0, 1)), 10_000);
    assert.deepEqual(plain(groups.take(single!, 3, 0)), records.slice(0, 1));
    const last = now.slice(1).map((part, i) => groups.take(part, 4 + i, 0));
    assert.deepEqual(plain(last.at(-1)), records);
  });

  it('that a node did not finish are forgotten with its next one, or after ten minutes', () => {
    const [first] = partsOf({ sender: 'a', number: 1, after }, encodeGroup(records), 300);
    const [next] = partsOf({ sender: 'a', number: 2, after }, encodeGroup(records), 300);
    const groups = new Groups();
    groups.take(first!, 1, 0);
    assert.equal(groups.take(next!, 2, 0), undefined);
    assert.equal(groups.firstNeeded(), 2);
    const [other] = partsOf({ sender: 'b', number: 1, after }, encodeGroup(records.slice(0, 1)), 300);
    groups.take(other!, 4, 600_001);
    assert.equal(groups.firstNeeded(), undefined);
  });

  it('of another version, or broken off, are refused', () => {
    const [part] = partsOf({ sender: 'a', number: 1, after }, encodeGroup(records), 10_000);
    const newer = Buffer.from(part!);
    newer[0] = 2;
    assert.throws(() => new Groups().take(newer, 1, 0), /version 2/);
    assert.throws(() => new Groups().take(part!.subarray(0, 40), 1, 0), RangeError);
  });
});
