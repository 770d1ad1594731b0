import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ParameterDataDecoder } from '../../../src/wire/rows/parameter-data.ts';
import { heapInUse } from '../../collected.ts';
import { defaultPayloadLimits } from '../../payload-limits.ts';

/** Rows of which each has a tag set of its own, by tags that all differ or by the way in which few values meet. */
function body(rows: number, tags: number): Buffer {
  const list = (element: (row: number) => unknown) => Array.from({ length: rows }, (_, row) => element(row));
  const tagValues = Array.from({ length: tags }, (_, tag) => [`t${tag}`, list((row) => `${row ^ tag}`)]);
  return Buffer.from(
    JSON.stringify({
      timestamps: list((row) => row),
      numericValues: { a: list(() => 1) },
      tagValues: Object.fromEntries(tagValues),
    }),
  );
}

describe('the tag sets of a body', () => {
  const decoder = new ParameterDataDecoder(defaultPayloadLimits);

  it('are refused where they take too much', () => {
    assert.throws(() => decoder.decode(body(420_000, 1)), {
      code: 'body_too_large',
      status: 413,
      message: /^tagValues make so many different sets of tags that they take more than 134217728 bytes/,
    });
    assert.throws(() => decoder.decode(body(130_000, 8)), { code: 'body_too_large' });
    const entry = (id: string) =>
      Buffer.concat([Buffer.from(`{"streamId":"${id}",`), body(210_000, 1).subarray(1)]);
    const batch = Buffer.concat([
      Buffer.from('['),
      entry('a'),
      Buffer.from(','),
      entry('b'),
      Buffer.from(']'),
    ]);
    assert.throws(() => decoder.decodeBatch(batch), { code: 'body_too_large' });
    assert.equal(decoder.decode(body(100_000, 1))[0]!.tagSets.length, 100_000);
  });

  it('count against the memory of all requests, about as the engine has them', async () => {
    for (const tags of [1, 4]) {
      const bytes = body(20_000, tags);
      let taken = 0;
      const before = await heapInUse();
      const rows = decoder.decode(bytes, { take: (more) => (taken += more) });
      const heap = (await heapInUse()) - before;
      assert.equal(rows[0]!.tagSets.length, 20_000);
      assert.ok(taken >= 20_000 * 320 - 16 * 1024, `${taken} bytes were taken`);
      assert.ok(taken > heap * 0.8, `${taken} bytes were taken for ${heap}`);
    }
    let taken = 0;
    decoder.decode(body(10, 2), { take: (more) => (taken += more) });
    assert.equal(taken, 0);
  });
});
