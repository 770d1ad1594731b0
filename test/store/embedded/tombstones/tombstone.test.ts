import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tombstoneFromJson, tombstoneToJson } from '../../../../src/store/embedded/tombstones/tombstone.ts';

describe('a tombstone as JSON', () => {
  for (const [name, count, step] of [
    ['of no streams', 0, 1],
    ['of a few streams', 3, 7],
    ['of very many streams', 100_000, 2],
    ['of very many streams that are far apart', 5000, 1000],
  ] as const) {
    it(`is the same when it is read, ${name}`, () => {
      const streams = Uint32Array.from({ length: count }, (_, i) => 5 + step * i);
      const tombstone = { streams, from: -1n, to: 2n, parameters: new Set([3]), tagFilters: [] };
      const text = JSON.stringify(tombstoneToJson(tombstone));
      assert.deepEqual(tombstoneFromJson(JSON.parse(text), 7, 8), { ...tombstone, lsn: 7, arrival: 8 });
      assert.ok(text.length < 8 * count + 200);
    });
  }

  it('takes a few bits for a stream where there are many', () => {
    const streams = Uint32Array.from({ length: 100_000 }, (_, i) => i + 1);
    const json = tombstoneToJson({ streams, from: 0n, to: 1n, parameters: undefined, tagFilters: [] });
    assert.ok(JSON.stringify(json).length < 20_000);
  });
});
