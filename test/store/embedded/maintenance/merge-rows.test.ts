import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { noTags } from '../../../../src/domain/tags.ts';
import { mergeRows, type RowSources } from '../../../../src/store/embedded/maintenance/merge-rows.ts';
import { collectRows } from '../../../../src/store/embedded/parts/row-collector.ts';
import { dropEmptyRows } from '../../../../src/store/embedded/rows/gather-rows.ts';
import { maxGroupBytes, type RowGroup } from '../../../../src/store/embedded/rows/row-group.ts';
import { bytesInUse } from '../../../collected.ts';
import { anyRows, groupOf, mergedRows, type PlainRow, rowsOf } from '../row-groups.ts';

/** Sources that make their rows anew whenever they are asked. */
function sourcesOf(
  bounds: readonly { first: number; last: number }[],
  make: (source: number) => RowGroup | Promise<RowGroup>,
) {
  return {
    count: bounds.length,
    first: (source) => bounds[source]!.first,
    last: (source) => bounds[source]!.last,
    load: make,
  } satisfies RowSources;
}

/** Rows of many columns; those of all sources reach over the same time, no two at one. */
function wideRows(source: number, rows: number, columns: number, step: number): RowGroup {
  return {
    stream: 1,
    count: rows,
    offsets: Float64Array.from({ length: rows }, (_, row) => row * step + source),
    tagSets: [noTags],
    tagIndex: undefined,
    columns: Array.from({ length: columns }, (_, column) => ({
      parameter: column,
      kind: Kind.Numeric,
      values: new Float64Array(rows).fill(source),
      present: undefined,
    })),
  };
}

describe('merging rows', () => {
  it('is what a map of identities says, however little may be held', async () => {
    const drawnSources = fc.array(anyRows, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(drawnSources, fc.integer({ min: 1, max: 4000 }), async (drawn, maxBytes) => {
        const all = drawn
          .map((rows) => mergedRows([rows]).filter(({ values }) => Object.keys(values).length > 0))
          .filter((rows) => rows.length > 0);
        const bounds = all.map((rows) => ({ first: rows[0]!.offset, last: rows.at(-1)!.offset }));
        const sources = sourcesOf(bounds, (source) => dropEmptyRows(groupOf(1, all[source]!)));
        const written: PlainRow[] = [];
        await mergeRows(sources, collectRows({ add: (group) => written.push(...rowsOf(group)) }), maxBytes);
        assert.deepEqual(written, mergedRows(all));
      }),
      { numRuns: 300 },
    );
  });

  it('holds no more than it may of sources that reach over the same time', async () => {
    const sourceBytes = 1024 * 1024;
    const [count, columns] = [32, 256];
    const rows = sourceBytes / 8 / columns;
    const bounds = Array.from({ length: count }, (_, source) => ({
      first: source,
      last: (rows - 1) * count + source,
    }));
    const bytesHeld = () => bytesInUse(() => process.memoryUsage().arrayBuffers);
    const before = await bytesHeld();
    let [most, loads] = [0, 0];
    const sources = sourcesOf(bounds, async (source) => {
      // To collect garbage each time would take seconds.
      if (loads++ % 12 === 0) most = Math.max(most, (await bytesHeld()) - before);
      return wideRows(source, rows, columns, count);
    });
    let [written, last, sum] = [0, -1, 0];
    const output = collectRows({
      add({ count: added, offsets, columns: [first] }) {
        assert.ok(offsets[0]! > last && first !== undefined && !('ends' in first));
        last = offsets[added - 1]!;
        written += added;
        sum += first.values.reduce((a, b) => a + b, 0);
      },
    });
    const maxBytes = 6 * sourceBytes;
    await mergeRows(sources, output, maxBytes);
    assert.equal(written, count * rows);
    assert.equal(sum, (rows * count * (count - 1)) / 2);
    // What is held, a row group that is filled, and a source.
    const bound = maxBytes + maxGroupBytes + 2 * sourceBytes;
    assert.ok(most <= bound, `${most} bytes at most, where ${bound} are allowed`);
  });
});
