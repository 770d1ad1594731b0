import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { noTags } from '../../../../src/domain/tags.ts';
import {
  gatherInParts,
  gatherRun,
  type PlainRun,
  plainRun,
} from '../../../../src/store/embedded/log/plain-sections.ts';
import { rowsExtent } from '../../../../src/store/embedded/log/rows-section.ts';
import { RowsDraft } from '../../../../src/store/embedded/log/write-rows.ts';
import { windowStart } from '../../../../src/store/embedded/rows/windows.ts';
import { slabOf } from './slab-of.ts';

const window = 1600;
const parameters = [4, 9];

/** Sections of so many rows, 7 ns apart, with a column for each parameter. */
function runOf(counts: readonly number[], values: (row: number, column: number) => number): PlainRun {
  let next = 0;
  const drafts = counts.map((count) => {
    const first = next;
    next += count;
    const columns = parameters.map((parameter, column) => ({
      name: `p${parameter}`,
      kind: Kind.Numeric,
      values: Float64Array.from({ length: count }, (_, i) => values(first + i, column)),
      present: undefined,
    }));
    const offsets = Float64Array.from({ length: count }, (_, i) => 7 * i);
    const base = windowStart(window) + 11n + BigInt(7 * first);
    const rows = {
      base,
      count,
      offsets,
      span: 7 * (count - 1),
      isAscending: true,
      tagSets: [noTags],
      tagIndex: undefined,
      columns,
    };
    return new RowsDraft(rows, 1, parameters);
  });
  const { slab, sections } = slabOf(drafts);
  const placed = sections.map((start) => {
    const { first, last } = rowsExtent(slab, start);
    return { words: slab, at: start, first, last };
  });
  return plainRun(placed, 0, new Set(parameters), () => true)!;
}

describe('a run of plain sections', () => {
  it('is gathered to the bit, in parts of any length too', () => {
    const anyCounts = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(
        anyCounts,
        fc.integer({ min: 1, max: 60 }),
        fc.infiniteStream(fc.double()),
        (counts, most, drawn) => {
          const total = counts.reduce((a, b) => a + b);
          const numbers = Float64Array.from({ length: 2 * total }, () => drawn.next().value);
          const run = runOf(counts, (row, column) => numbers[2 * row + column]!);
          const whole = gatherRun(run);
          assert.deepEqual([whole.window, whole.group.stream, whole.group.count], [window, 1, total]);
          const memory = parameters.concat(0).map(() => new Float64Array(most));
          let from = 0;
          for (const group of gatherInParts(run, most, (place) => memory[place]!)) {
            assert.equal(group.count, Math.min(most, total - from));
            for (let row = 0; row < group.count; row++, from++) {
              assert.equal(whole.group.offsets[from], 11 + 7 * from);
              assert.equal(group.offsets[row], 11 + 7 * from);
              for (const [i, column] of group.columns.entries()) {
                const [own, all] = [column, whole.group.columns[i]!];
                assert.ok('values' in own && 'values' in all);
                assert.equal(own.parameter, parameters[i]);
                assert.ok(Object.is(own.values[row], numbers[2 * from + i]), 'in parts');
                assert.ok(Object.is(all.values[from], numbers[2 * from + i]), 'as a whole');
              }
            }
          }
          assert.equal(from, total);
        },
      ),
    );
  });
});
