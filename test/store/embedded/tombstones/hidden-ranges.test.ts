import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { joinRanges } from '../../../../src/store/embedded/tombstones/hidden-ranges.ts';

const anyRanges = fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 12 })), {
  maxLength: 6,
});

describe('joined ranges', () => {
  it('ascend, do not touch, and hold the same offsets', () => {
    fc.assert(
      fc.property(anyRanges, (pairs) => {
        const ranges = pairs.map(([first, length]) => ({ first, last: first + length }));
        const joined = joinRanges(ranges);
        for (let i = 1; i < joined.length; i++) assert.ok(joined[i]!.first > joined[i - 1]!.last + 1);
        for (let offset = 0; offset < 80; offset++) {
          const isIn = ({ first, last }: { first: number; last: number }) =>
            first <= offset && last >= offset;
          assert.equal(joined.some(isIn), ranges.some(isIn), `offset ${offset}`);
        }
      }),
    );
  });
});
