import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type HeadView,
  headSlab,
  headView,
  placeSection,
  sectionsOf,
  showSections,
} from '../../../../src/store/embedded/log/head.ts';
import { makeSlab } from '../../../../src/store/embedded/log/slab.ts';
import { RowsDraft } from '../../../../src/store/embedded/log/write-rows.ts';
import { rowsOf } from '../rows.ts';

const rows = rowsOf([{ time: 1n, cells: { speed: 1 } }]);

/** A head with a section for each of these streams; views of it on the way, with how many sections they show. */
function filled(streams: readonly number[], views: (view: HeadView) => void) {
  const bytes = new RowsDraft(rows, 1, [1]).bytes;
  const head = headSlab(makeSlab(1, new SharedArrayBuffer(8 * Math.ceil((streams.length * bytes) / 8) + 64)));
  streams.forEach((stream, i) => {
    const draft = new RowsDraft(rows, stream, [1]);
    draft.write(head.slab, i * bytes);
    placeSection(head, i * bytes, 100 + i);
    showSections(head);
    if (i % 97 === 0) views(headView(head));
  });
  views(headView(head));
  return { head, bytes };
}

const sectionsBy = (streams: readonly number[], stream: number, count: number): number[] =>
  streams.flatMap((other, i) => (other === stream && i < count ? [i] : []));

describe('the index of a head', () => {
  it('finds the sections of each stream, in views taken on the way as well', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 2 ** 32 - 1 })), {
          minLength: 1,
          maxLength: 900,
        }),
        fc.boolean(),
        (streams, isSent) => {
          const views: HeadView[] = [];
          const { bytes } = filled(streams, (view) => views.push(isSent ? structuredClone(view) : view));
          for (const view of views) {
            for (const stream of [...new Set([...streams.slice(0, 20), 7, 12_345])]) {
              const found = sectionsOf(view, stream);
              assert.deepEqual(found, sectionsBy(streams, stream, view.count));
              for (const section of found) {
                assert.equal(view.index.sections[section], section * bytes);
                assert.equal(view.index.lsns[section], 100 + section);
              }
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('finds in a view what it had, however many sections of the same streams come later', () => {
    const streams = Array.from({ length: 2000 }, (_, i) => (i % 3) + 1);
    const views: HeadView[] = [];
    filled(streams, (view) => views.push(view));
    for (const view of views)
      for (const stream of [1, 2, 3])
        assert.deepEqual(sectionsOf(view, stream), sectionsBy(streams, stream, view.count));
  });

  it('leaves sections without rows out', () => {
    const head = headSlab(makeSlab(1, new SharedArrayBuffer(4096)));
    new RowsDraft({ ...rows, count: 0 }, 5, [1]).write(head.slab, 0);
    placeSection(head, 0, 1);
    showSections(head);
    assert.deepEqual(sectionsOf(headView(head), 5), []);
    assert.equal(head.count, 0);
  });
});
