import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { GroupLayout } from '../../../../src/store/embedded/codecs/row-group-codec.ts';
import { layoutCache } from '../../../../src/store/embedded/parts/part-cache.ts';

const block = { position: 0, length: 0, checksum: undefined };

function layout(columns: number, isPartial = false): GroupLayout {
  const column = {
    parameter: 1,
    kind: 0,
    presenceForm: 0,
    present: 1,
    values: block,
    statistics: undefined,
  } as const;
  return {
    timesForm: 0,
    times: block,
    tagsForm: 0,
    tags: block,
    columns: new Array<typeof column>(columns).fill(column),
    isPartial,
  };
}

/** Asks for the layout of a head and tells whether it was decoded. */
function asker(maxColumns: number) {
  const cache = layoutCache(maxColumns);
  return (head: Buffer, made = layout(10)): boolean => {
    let decoded = false;
    cache.of(head, () => {
      decoded = true;
      return made;
    });
    return decoded;
  };
}

const heads = Array.from({ length: 10 }, (_, i) => Buffer.of(i));

describe('the layout cache', () => {
  it('decodes a directory once while there is room', () => {
    const isDecoded = asker(100);
    for (const head of heads) assert.ok(isDecoded(head));
    for (const head of heads) assert.ok(!isDecoded(head));
  });

  it('forgets what was not asked for while many others were, and keeps what was', () => {
    const isDecoded = asker(30);
    const [kept, lost, ...others] = heads;
    assert.ok(isDecoded(kept!));
    assert.ok(isDecoded(lost!));
    for (const head of others) {
      isDecoded(head);
      assert.ok(!isDecoded(kept!));
    }
    assert.ok(isDecoded(lost!));
  });

  it('does not keep a layout from which columns are left out', () => {
    const isDecoded = asker(100);
    assert.ok(isDecoded(heads[0]!, layout(1, true)));
    assert.ok(isDecoded(heads[0]!, layout(1, true)));
  });
});
