import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isPresent, Kind, type Rows } from '../../../../src/domain/parameter-data.ts';
import {
  type RowsSection,
  rowsExtent,
  rowsParameters,
  viewRows,
} from '../../../../src/store/embedded/log/rows-section.ts';
import { makeSlab, type Slab } from '../../../../src/store/embedded/log/slab.ts';
import { RowsDraft } from '../../../../src/store/embedded/log/write-rows.ts';
import { forSeeds, type Random } from '../random.ts';
import { type Cell, rowsOf, type TestRow } from '../rows.ts';

const start = 96;

/** The section in memory that held something else before. */
function written(rows: Rows, stream: number, parameters: readonly number[]): Slab {
  const draft = new RowsDraft(rows, stream, parameters);
  const slab = makeSlab(1, new SharedArrayBuffer(start + 8 * Math.ceil(draft.bytes / 8) + 64));
  slab.bytes.fill(0xff);
  draft.write(slab, start);
  assert.ok(slab.bytes.subarray(start + draft.bytes).every((byte) => byte === 0xff));
  return slab;
}

function cellsOf({ columns, count }: RowsSection): Map<number, Cell[]> {
  return new Map(
    columns.map((column) => [
      column.parameter,
      Array.from({ length: count }, (_, row): Cell => {
        if (!isPresent(column.present, row)) return null;
        if (!('ends' in column)) return column.values[row]!;
        const value = column.bytes.slice(row === 0 ? 0 : column.ends[row - 1]!, column.ends[row]!);
        return column.kind === Kind.String ? Buffer.from(value).toString() : new Uint8Array(value);
      }),
    ]),
  );
}

function someRows(random: Random): TestRow[] {
  const base = random.pick([0n, -5n, -(2n ** 63n), 2n ** 63n - 2n ** 54n]);
  const span = random.pick([0, 3, 2 ** 53 - 1]);
  const names = ['n', 's', 'b', 'm'].filter(() => random.chance(0.7));
  return Array.from({ length: random.int(1, 40) }, () => ({
    time: base + BigInt(random.int(0, span)),
    ...(random.chance(0.5) && { tags: [['lap', String(random.int(0, 3))]] as const }),
    cells: Object.fromEntries(
      names.map((name): [string, Cell] => {
        if (random.chance(0.3)) return [name, null];
        if (name === 's') return [name, random.pick(['', 'N', 'ü\u0000', 'x'.repeat(random.int(0, 50))])];
        if (name === 'b') return [name, random.bytes(random.int(0, 9))];
        return [name, random.pick([0, -0, Number.NaN, 1.5, Number.NEGATIVE_INFINITY])];
      }),
    ),
  }));
}

describe('a section of rows', () => {
  it('gives back what was written: times, tags, and values of every kind', async () => {
    await forSeeds(1, 300, async (random) => {
      const plain = someRows(random);
      const rows = rowsOf(plain);
      const parameters = rows.columns.map((_, i) => 10 + i);
      const slab = written(rows, 77, parameters);
      const view = viewRows(slab, start);
      assert.deepEqual([view.stream, view.count, view.base], [77, rows.count, rows.base]);
      assert.deepEqual(view.offsets, rows.offsets);
      const span = Math.max(...rows.offsets);
      assert.equal(view.span, span);
      assert.deepEqual(rowsExtent(slab, start), {
        stream: 77,
        first: rows.base,
        last: rows.base + BigInt(span),
        count: rows.count,
      });
      const ascending = plain.every(({ time }, i) => i === 0 || time >= plain[i - 1]!.time);
      assert.equal(view.ascending, ascending);
      const tags = (of: Pick<Rows, 'tagSets' | 'tagIndex'>) =>
        plain.map((_, row) => of.tagSets[of.tagIndex?.[row] ?? 0]);
      assert.deepEqual(tags(view), tags(rows));
      assert.deepEqual(rowsParameters(slab, start), parameters);
      assert.deepStrictEqual(
        cellsOf(view),
        new Map(rows.columns.map(({ name }, i) => [10 + i, plain.map(({ cells }) => cells[name] ?? null)])),
      );
    });
  });

  it('gives only the wanted columns', () => {
    const rows = rowsOf([{ time: 1n, cells: { a: 1, b: 'x', c: 3 } }]);
    const slab = written(rows, 1, [5, 6, 7]);
    assert.deepEqual([...cellsOf(viewRows(slab, start, new Set([6, 9])))], [[6, ['x']]]);
  });

  it('copies the rows: what the caller does to its arrays afterwards changes nothing', () => {
    const rows = rowsOf([{ time: 1n, cells: { a: 1, b: 'x' } }]);
    const slab = written(rows, 1, [5, 6]);
    rows.offsets.fill(9);
    for (const column of rows.columns) {
      if (column.kind === Kind.Numeric) column.values.fill(9);
      else column.bytes.fill(9);
    }
    const view = viewRows(slab, start);
    assert.deepEqual([view.offsets[0], [...cellsOf(view).values()]], [0, [[1], ['x']]]);
  });

  it('takes arrays that are longer than its rows', () => {
    const rows = rowsOf(
      [1n, 2n, 3n].map((time) => ({
        time,
        tags: [['t', String(time)]],
        cells: { a: Number(time), b: String(time) },
      })),
    );
    const view = viewRows(written({ ...rows, count: 2 }, 1, [5, 6]), start);
    assert.deepEqual(
      [...cellsOf(view).values()],
      [
        [1, 2],
        ['1', '2'],
      ],
    );
    assert.equal(view.span, 1);
  });
});
