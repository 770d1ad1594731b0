import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { tagSet } from '../../../../src/domain/tags.ts';
import type { RowGroup } from '../../../../src/store/embedded/rows/row-group.ts';
import {
  coversAll,
  hiddenShare,
  windowTombstones,
} from '../../../../src/store/embedded/tombstones/stream-tombstones.ts';
import {
  concernsStream,
  hideRows,
  type Tombstone,
} from '../../../../src/store/embedded/tombstones/tombstone.ts';
import { tombstonesOf, withTombstone } from '../../../../src/store/embedded/tombstones/tombstone-list.ts';
import { heapInUse } from '../../../collected.ts';

const span = 24;
const stream = 3;

/** Two parameters in a row for each offset, in a given order; every second one has a tag. */
function groupOf(offsets: readonly number[]): RowGroup {
  const values = Float64Array.from(offsets);
  return {
    stream,
    count: offsets.length,
    offsets: Float64Array.from(offsets),
    tagSets: [tagSet([['lap', '0']]), tagSet([['lap', '1']])],
    tagIndex: Uint32Array.from(offsets, (offset) => offset % 2),
    columns: [1, 2].map((parameter) => ({ parameter, kind: Kind.Numeric, values, present: undefined })),
  };
}

/** What is left, as `parameter@offset`. */
function cellsOf({ columns, offsets, count }: RowGroup): Set<string> {
  const cells = new Set<string>();
  for (const { parameter, present } of columns)
    for (let row = 0; row < count; row++)
      if (present === undefined || (present[row >> 3]! >> (row & 7)) & 1)
        cells.add(`${parameter}@${offsets[row]}`);
  return cells;
}

/** The same by looking at every tombstone for every value. */
function cellsLeft(tombstones: readonly Tombstone[], lsn: number): Set<string> {
  const cells = new Set<string>();
  for (let offset = 0; offset < span; offset++) {
    for (const parameter of [1, 2]) {
      const isHidden = tombstones.some(
        (one) =>
          one.lsn > lsn &&
          concernsStream(one, stream) &&
          one.from <= offset &&
          one.to >= offset &&
          (one.parameters?.has(parameter) ?? true) &&
          (one.tagFilters.length === 0 || offset % 2 === 1),
      );
      if (!isHidden) cells.add(`${parameter}@${offset}`);
    }
  }
  return cells;
}

const anyTombstone = fc.record({
  from: fc.integer({ min: -4, max: span }),
  length: fc.nat({ max: 12 }),
  concerns: fc.boolean(),
  parameters: fc.constantFrom(undefined, undefined, [1], [2, 1], [1, 2]),
  isTagged: fc.boolean(),
});

function listsOf(drawn: readonly Draw[]): (readonly Tombstone[])[] {
  const lists: (readonly Tombstone[])[] = [[]];
  drawn.forEach(({ from, length, concerns, parameters, isTagged }, i) => {
    const added: Tombstone = {
      lsn: i + 1,
      arrival: 0,
      streams: concerns ? Uint32Array.of(1, stream, 9) : Uint32Array.of(1, 9),
      from: BigInt(from),
      to: BigInt(from + length),
      parameters: parameters && new Set(parameters),
      tagFilters: isTagged ? [{ tag: 'lap', operator: 'Equal', values: ['1'] }] : [],
    };
    lists.push(withTombstone(lists.at(-1)!, added));
  });
  return lists;
}

type Draw = typeof anyTombstone extends fc.Arbitrary<infer Drawn> ? Drawn : never;

describe('the tombstones of a stream', () => {
  it('hide what each of them hides, of rows in any order, as each snapshot had them', () => {
    const inOrder = Array.from({ length: span }, (_, offset) => offset);
    fc.assert(
      fc.property(
        fc.array(anyTombstone, { maxLength: 12 }),
        fc.shuffledSubarray(inOrder, { minLength: span }),
        fc.array(fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 12 })), { minLength: 1, maxLength: 8 }),
        (drawn, offsets, asked) => {
          const lists = listsOf(drawn);
          for (const [at, lsn] of asked) {
            const list = lists[Math.min(at, lists.length - 1)]!;
            const known = tombstonesOf(list, stream);
            const hidden = windowTombstones(known, lsn, 0, 0, span - 1);
            const left = cellsLeft(list, lsn);
            for (const order of [inOrder, offsets])
              assert.deepEqual([...cellsOf(hideRows(groupOf(order), hidden))].sort(), [...left].sort());
            const share = hiddenShare(known, lsn, 0n, BigInt(span - 1));
            if (share === 'none') assert.equal(left.size, 2 * span);
            if (share === 'all') assert.equal(left.size, 0);
            assert.equal(coversAll(hidden, 0, span - 1), share === 'all');
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('are one where they touch and take the same', () => {
    const draw = { length: 1, concerns: true, parameters: undefined, isTagged: false };
    const list = listsOf([0, 4, 2, 8, 20].map((from) => ({ ...draw, from }))).at(-1)!;
    const ranges = (lsn: number) =>
      windowTombstones(tombstonesOf(list, stream), lsn, 0, 0, 15).map(({ first, last }) => [first, last]);
    assert.deepEqual(ranges(0), [
      [0, 5],
      [8, 9],
    ]);
    // What is written after the first two keeps their times.
    assert.deepEqual(ranges(2), [
      [2, 3],
      [8, 9],
    ]);
  });

  it('cost as many looks with the 300th as with the first', () => {
    let looks = 0;
    let list: readonly Tombstone[] = [];
    const costs: number[] = [];
    for (let i = 0; i < 300; i++) {
      const tombstone: Tombstone = {
        lsn: i + 1,
        arrival: 0,
        get streams() {
          looks++;
          return Uint32Array.of(stream);
        },
        get from() {
          looks++;
          return BigInt(1000 * ((i * 7) % 300));
        },
        get to() {
          looks++;
          return BigInt(1000 * ((i * 7) % 300) + 9);
        },
        parameters: undefined,
        tagFilters: [],
      };
      looks = 0;
      const before = list;
      list = withTombstone(list, tombstone);
      // As a delete looks: at what was there before it, and at what is left after it, and so do reads.
      for (const snapshot of [before, list, before, list]) {
        const hidden = windowTombstones(tombstonesOf(snapshot, stream), 0, 0, 0, 1_000_000);
        assert.equal(hidden.length, snapshot.length);
      }
      costs.push(looks);
    }
    assert.ok(costs[0]! > 0);
    assert.equal(costs[299], costs[0]);
  });
});

describe('what is kept of tombstones', () => {
  const deleteOf = (lsn: number, streams: readonly number[]): Tombstone => ({
    lsn,
    arrival: 0,
    streams: Uint32Array.from(streams),
    from: 0n,
    to: 100n,
    parameters: undefined,
    tagFilters: [],
  });

  it('is one thing for all streams that the same deletes concern', () => {
    const first = withTombstone([], deleteOf(1, [1, 2, 3]));
    assert.equal(tombstonesOf(first, 1), tombstonesOf(first, 2));
    assert.notEqual(tombstonesOf(first, 1), tombstonesOf(first, 4));
    const both = withTombstone(first, deleteOf(2, [2, 3, 4]));
    assert.equal(tombstonesOf(both, 2).lsn, 2);
    assert.deepEqual(tombstonesOf(both, 3), tombstonesOf(both, 2));
    assert.equal(tombstonesOf(both, 1).lsn, 1);
    assert.equal(tombstonesOf(both, 4).layers[0]?.stretches[0]?.tombstone.lsn, 2);
  });

  it('takes a bounded memory, however many questions there were', async () => {
    const list = withTombstone([], { ...deleteOf(1, [1]), to: 2n ** 61n });
    const tombstones = tombstonesOf(list, 1);
    const before = await heapInUse();
    let most = 0;
    for (let i = 0; i < 240_000; i++) {
      assert.equal(windowTombstones(tombstones, 0, i % 100, i, i + 1).length, 1);
      if (i % 30_000 === 29_999) most = Math.max(most, (await heapInUse()) - before);
    }
    assert.ok(tombstones.layers.length > 0);
    assert.ok(most < 40e6, `${most} bytes`);
  });
});
