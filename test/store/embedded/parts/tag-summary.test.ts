import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { noTags, tagSet } from '../../../../src/domain/tags.ts';
import {
  decodeTagSummary,
  encodeTagSummary,
  tagCollector,
} from '../../../../src/store/embedded/parts/tag-summary.ts';

const names = (count: number) => Array.from({ length: count }, (_, i) => `name ${i}`);

describe('the tags of a part', () => {
  it('are the names and values that rows have', () => {
    const anyPairs = fc.dictionary(fc.string({ maxLength: 4 }), fc.string({ maxLength: 4 }), { maxKeys: 3 });
    fc.assert(
      fc.property(fc.array(anyPairs, { maxLength: 20 }), (rows) => {
        const tags = tagCollector();
        const expected = new Map<string, Set<string>>();
        for (const row of rows) {
          tags.add({ tagSets: [tagSet(Object.entries(row))], tagIndex: undefined }, 1);
          for (const [name, value] of Object.entries(row))
            expected.set(name, (expected.get(name) ?? new Set()).add(value));
        }
        const sorted = [...expected].sort(([a], [b]) => (a < b ? -1 : 1));
        assert.deepEqual(
          [...decodeTagSummary(encodeTagSummary(tags.summary()))!],
          sorted.map(([name, values]) => [name, [...values].sort()]),
        );
      }),
    );
  });

  it('leave out sets that no row has', () => {
    const tags = tagCollector();
    const tagSets = [tagSet([['lap', '1']]), tagSet([['lap', '2']]), noTags];
    tags.add({ tagSets, tagIndex: Uint32Array.of(2, 1, 1) }, 3);
    assert.deepEqual([...tags.summary()!], [['lap', ['2']]]);
  });

  it('take no bytes where there are none', () => {
    const bytes = encodeTagSummary(tagCollector().summary());
    assert.equal(bytes.length, 0);
    assert.deepEqual(decodeTagSummary(bytes), new Map());
  });

  it('name a tag without its values where these are too many, and nothing where names are', () => {
    const tags = tagCollector();
    const add = (pairs: [string, string][]) => tags.add({ tagSets: [tagSet(pairs)], tagIndex: undefined }, 1);
    for (const value of names(3000)) add([['id', value]]);
    add([['car', 'red']]);
    const few = decodeTagSummary(encodeTagSummary(tags.summary()))!;
    assert.deepEqual(
      [...few],
      [
        ['car', ['red']],
        ['id', undefined],
      ],
    );
    for (const name of names(3000)) add([[name, 'x']]);
    assert.equal(decodeTagSummary(encodeTagSummary(tags.summary())), undefined);
  });
});
