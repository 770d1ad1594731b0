import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  copyRows,
  dropEmptyRows,
  gatherRows,
  reverseRows,
  takeRows,
} from '../../../../src/store/embedded/rows/gather-rows.ts';
import type { RowGroup } from '../../../../src/store/embedded/rows/row-group.ts';
import { anyRows, groupOf, rowsOf } from '../row-groups.ts';

function memoryOf(group: RowGroup): ArrayBufferLike[] {
  return [
    group.offsets.buffer,
    ...(group.tagIndex ? [group.tagIndex.buffer] : []),
    ...group.columns.flatMap((column) => [
      ...('ends' in column ? [column.ends.buffer, column.bytes.buffer] : [column.values.buffer]),
      ...(column.present ? [column.present.buffer] : []),
    ]),
  ];
}

describe('picking rows', () => {
  it('from several groups gives those rows, with the wanted columns', () => {
    const picks = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 40 });
    fc.assert(
      fc.property(
        fc.array(anyRows, { minLength: 1, maxLength: 4 }),
        picks,
        fc.integer({ min: 1, max: 12 }),
        (all, picked, unwanted) => {
          const groups = all.filter((rows) => rows.length > 0).map((rows) => groupOf(1, rows));
          if (groups.length === 0) return;
          const sources = Uint32Array.from(picked, ([source]) => source % groups.length);
          const rows = Uint32Array.from(picked, ([, row], i) => row % groups[sources[i]!]!.count);
          const wanted = [
            ...new Set(groups.flatMap(({ columns }) => columns.map(({ parameter }) => parameter))),
          ]
            .filter((parameter) => parameter !== unwanted)
            .sort((a, b) => b - a);
          const gathered = gatherRows(groups, sources, rows, wanted);
          const expected = [...rows].map((row, i) => {
            const { offset, tags, values } = rowsOf(groups[sources[i]!]!)[row]!;
            const kept = Object.entries(values).filter(([parameter]) => Number(parameter) !== unwanted);
            return { offset, tags, values: Object.fromEntries(kept) };
          });
          assert.deepStrictEqual(rowsOf(gathered), expected);
          assert.deepEqual(
            gathered.columns.map(({ parameter }) => parameter),
            wanted,
          );
        },
      ),
    );
  });

  it('in reverse, in part, or as a copy gives those rows in memory of their own', () => {
    fc.assert(
      fc.property(anyRows, fc.nat(), fc.nat(), (plain, a, b) => {
        if (plain.length === 0) return;
        const group = groupOf(1, plain);
        const all = rowsOf(group);
        const [from, to] = [a % (plain.length + 1), b % (plain.length + 1)].sort((x, y) => x - y) as [
          number,
          number,
        ];
        const copy = copyRows(group, from, to);
        assert.deepStrictEqual(rowsOf(copy), all.slice(from, to));
        assert.deepStrictEqual(rowsOf(reverseRows(group)), [...all].reverse());
        assert.deepStrictEqual(rowsOf(takeRows(group, Uint32Array.of(0, 0))), [all[0], all[0]]);
        const own = new Set(memoryOf(copy));
        assert.ok(memoryOf(group).every((memory) => !own.has(memory)));
      }),
    );
  });

  it('with a value leaves out those in which no column has one', () => {
    fc.assert(
      fc.property(anyRows, fc.array(fc.boolean()), (plain, empty) => {
        const rows = plain.map((row, i) => (empty[i] === true ? { ...row, values: {} } : row));
        const group = groupOf(1, rows);
        assert.deepStrictEqual(
          rowsOf(dropEmptyRows(group)),
          rowsOf(group).filter(({ values }) => Object.keys(values).length > 0),
        );
      }),
    );
  });
});
