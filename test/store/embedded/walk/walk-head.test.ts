import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { maxTimestamp, minTimestamp } from '../../../../src/domain/timestamp.ts';
import { mergeRowGroups } from '../../../../src/store/embedded/rows/merge-row-groups.ts';
import type { RowGroup } from '../../../../src/store/embedded/rows/row-group.ts';
import { windowSpan } from '../../../../src/store/embedded/rows/windows.ts';
import { walkOf } from '../../../../src/store/embedded/walk/walk.ts';
import { headRows, headSections, sectionRows } from '../../../../src/store/embedded/walk/walk-head.ts';
import { rowsOf, type TestRow } from '../rows.ts';
import { snapshotScratch } from '../snapshot-scratch.ts';

/** Just before the end of a window, so that some sections reach into the next one. */
const begin = 1_200n * BigInt(windowSpan) - 40n;

const shapes = ['speed', 'speed and rpm', 'rpm and speed', 'rpm', 'a gap', 'text', 'tags'] as const;

/** The rows of a section: how far it begins after the one before (below 0: before its end), and its shape. */
const section = fc.record({
  gap: fc.oneof({ weight: 6, arbitrary: fc.integer({ min: 1, max: 5 }) }, fc.integer({ min: -6, max: 0 })),
  steps: fc.array(fc.oneof({ weight: 9, arbitrary: fc.constant(1) }, fc.integer({ min: -2, max: 3 })), {
    minLength: 1,
    maxLength: 6,
  }),
  shape: fc.oneof(
    { weight: 5, arbitrary: fc.constant<(typeof shapes)[number]>('speed and rpm') },
    fc.constantFrom(...shapes),
  ),
});

function rowOf(shape: (typeof shapes)[number], time: bigint, value: number): TestRow {
  if (shape === 'speed') return { time, cells: { speed: value } };
  if (shape === 'rpm') return { time, cells: { rpm: -value } };
  if (shape === 'rpm and speed') return { time, cells: { rpm: -value, speed: value } };
  if (shape === 'a gap') return { time, cells: { speed: value % 2 === 0 ? null : value, rpm: -value } };
  if (shape === 'text') return { time, cells: { speed: value, note: 'x' } };
  if (shape === 'tags') return { time, tags: [['lap', String(value % 3)]], cells: { speed: value } };
  return { time, cells: { speed: value === 5 ? -0 : value, rpm: -value } };
}

/** What a group holds, as its readers see it. */
function shown({ count, offsets, tagSets, tagIndex, columns }: RowGroup): unknown {
  return Array.from({ length: count }, (_, row) => ({
    offset: offsets[row],
    tags: tagSets[tagIndex?.[row] ?? 0]!.key,
    values: columns.flatMap((column) => {
      assert.ok(column.kind === Kind.Numeric);
      const has = column.present === undefined || ((column.present[row >> 3]! >> (row & 7)) & 1) === 1;
      return has ? [[column.parameter, column.values[row]]] : [];
    }),
  }));
}

describe('rows of the head', () => {
  it('are those of its sections, however many are copied at once', async () => {
    let copied = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(section, { minLength: 1, maxLength: 60, size: 'max' }),
        fc.boolean(),
        async (sections, cut) => {
          const scratch = snapshotScratch('w');
          try {
            let end = begin;
            let value = 0;
            for (const { gap, steps, shape } of sections) {
              let time = end + BigInt(gap);
              const rows = steps.map((step) => {
                const row = rowOf(shape, time, value++);
                time += BigInt(step);
                return row;
              });
              if (rows.every(({ cells }) => cells['speed'] === null)) continue;
              scratch.write({ type: 'rows', topic: 't', streamId: 'a', rows: [rowsOf(rows)] });
              end = rows.reduce((most, row) => (row.time > most ? row.time : most), end);
            }
            if (scratch.state.topicsByName.size === 0) return;
            const open = scratch.take();
            const stream = scratch.state.topicsByName.get('w')!.get('t')!.streams.get('a')!;
            const numbers = scratch.state.parametersByName[Kind.Numeric];
            const wanted = new Set(['speed', 'rpm'].flatMap((name) => numbers.get(name)?.number ?? []));
            const from = cut ? begin + 7n : minTimestamp;
            const to = cut ? begin + 90n : maxTimestamp;
            const walk = walkOf(open.snapshot, stream, from, to, false)!;
            const views = new Map<number, RowGroup[]>();
            for (const found of headSections(walk, wanted))
              for (const { window, group } of sectionRows(walk, found, wanted))
                views.set(window, [...(views.get(window) ?? []), group]);
            const gathered = headRows(walk, wanted);
            assert.deepEqual([...gathered.keys()], [...views.keys()]);
            for (const [window, groups] of gathered) {
              copied += views.get(window)!.length - groups.length;
              assert.deepEqual(shown(mergeRowGroups(groups)), shown(mergeRowGroups(views.get(window)!)));
            }
            open.release();
          } finally {
            await scratch.close();
          }
        },
      ),
      { numRuns: 150 },
    );
    assert.ok(copied > 100, `${copied} sections were copied`);
  });
});
