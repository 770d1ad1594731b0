import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { allPresent, isPresent } from '../../src/domain/parameter-data.ts';
import type { NumberColumn } from '../../src/expression/column.ts';
import { evaluatorOf } from '../../src/expression/evaluate.ts';
import { isFlaw, parseExpression } from '../../src/expression/parse.ts';
import { rowFunctions } from '../../src/expression/row-functions.ts';
import type { StreamRows } from '../../src/expression/stream-rows.ts';
import { runningFunctions, windowFunctions } from '../../src/expression/syntax.ts';
import { type ValueRoom, valueRoom } from '../../src/expression/value-room.ts';
import { cases } from '../extent.ts';
import { interpret, type PlainRow } from './reference.ts';

const names = ['a', 'b', 'c'];

/** What looks ahead is no evaluator's: see test/store/calculated. */
const windows = windowFunctions.filter((name) => name !== 'smooth');

describe('the value of an expression', () => {
  it('is what the plain interpreter says, however rows are cut into blocks', () => {
    fc.assert(
      fc.property(
        expressions(4),
        streams(),
        fc.nat(60),
        fc.integer({ min: 1, max: 40 }),
        (text, rows, before, length) => {
          const expression = parseExpression(text);
          assert.ok(!isFlaw(expression), inspect(expression));
          const from = rows[Math.min(before, rows.length - 1)]!.time;
          const own = rows.map((row) => ({
            ...row,
            values: expression.parameters.map((name) => row.values[names.indexOf(name)]),
          }));
          const wanted = interpret(expression.root, own, from);
          const evaluator = evaluatorOf(expression);
          // Another stream before it leaves nothing behind.
          for (const round of ['first', 'second']) {
            evaluator.beginStream();
            for (const { first, block } of blocksOf(own, length, from)) {
              const column = evaluator.evaluate(block);
              for (let i = block.firstWanted; i < block.count; i++)
                compare(valueAt(column, i), wanted[first + i], `${text}, row ${first + i}, ${round} time`);
            }
          }
        },
      ),
      { numRuns: cases(3000) },
    );
  });

  it('of a moving mean follows from the rows since the window before a cell, whatever came before', () => {
    const parsed = parseExpression("movingMean(a, '10ns')");
    assert.ok(!isFlaw(parsed));
    // Cells of 40 ns. The third row takes all digits from what is added to it.
    const rows = Array.from({ length: 100 }, (_, i) => ({
      time: BigInt(i) - 17n,
      tags: {},
      values: [i === 2 ? 1e30 : Math.sin(i) * 10 ** (i % 5)],
    }));
    const all = evaluatorOf(parsed).evaluate(oneBlock(rows, rows.length, 0n));
    for (const cell of [0, 40]) {
      const begin = rows.findIndex(({ time }) => time > BigInt(cell - 10));
      const late = rows.slice(begin);
      const column = evaluatorOf(parsed).evaluate(oneBlock(late, late.length, 0n));
      for (let row = rows.findIndex(({ time }) => time >= BigInt(cell)); row < rows.length; row++)
        assert.equal(valueAt(column, row - begin), valueAt(all, row), `row ${row}, cell ${cell}`);
    }
    // Within the cell of that row it can be told.
    const without = evaluatorOf(parsed).evaluate(oneBlock(rows.slice(3), rows.length - 3, 0n));
    assert.ok(rows.some((_, row) => row > 12 && valueAt(all, row) !== valueAt(without, row - 3)));
  });

  it('goes on bit for bit from what was saved', () => {
    fc.assert(
      fc.property(expressions(4), streams(), fc.integer({ min: 1, max: 40 }), (text, rows, length) => {
        const expression = parseExpression(text);
        assert.ok(!isFlaw(expression), inspect(expression));
        const own = rows.map((row) => ({
          ...row,
          // Sums of thirds tell in which order they were added.
          values: expression.parameters.map((name) => {
            const value = row.values[names.indexOf(name)];
            return value && value / 3;
          }),
        }));
        const evaluator = evaluatorOf(expression);
        let next = evaluatorOf(expression);
        for (const { block } of blocksOf(own, length, own[0]!.time)) {
          const columns = [evaluator, next].map((one) => one.evaluate(block));
          const [wanted, found] = columns.map((column) => own.map((_, row) => valueAt(column, row)));
          assert.deepEqual(found!.slice(0, block.count), wanted!.slice(0, block.count), text);
          const saved = next.save();
          const numbers = saved.parts.flat().flat().length;
          assert.ok(numbers <= next.size(), `${numbers} numbers, not ${next.size()}`);
          next = evaluatorOf(expression);
          assert.ok(next.restore(saved));
          assert.deepEqual(next.save(), saved);
        }
      }),
      { numRuns: cases(2000) },
    );
  });

  it('refuses what was saved of another expression', () => {
    const evaluatorFor = (text: string) => {
      const expression = parseExpression(text);
      assert.ok(!isFlaw(expression));
      const evaluator = evaluatorOf(expression);
      evaluator.evaluate(oneBlock([{ time: 0n, tags: {}, values: [1] }], 1, 0n));
      return evaluator;
    };
    const saved = evaluatorFor('integral(a)').save();
    assert.ok(evaluatorFor('integral(a)').restore(saved));
    for (const text of ['a', 'sum(a)', "movingMean(a, '1s')", 'sum(sum(a))'])
      assert.ok(!evaluatorFor(text).restore(saved), text);
  });

  for (const [text, value] of [
    ['round(0 - 2.5)', -3],
    ['round(0.49999999999999994)', 0],
    ['1 / 0', Number.POSITIVE_INFINITY],
    ['0 / 0', Number.NaN],
    ['!(0 / 0)', 0],
    ['-7 % 3', -1],
    ['2 ^ 3 ^ 2', 512],
    ['-2 ^ 2', -4],
    ['clamp(12, 0, 10)', 10],
    ['hypot(3, 4, 12)', 13],
    ['1 < 2 == 1', 1],
  ] as const) {
    it(`of ${text} is ${value}`, () => {
      const expression = parseExpression(text);
      assert.ok(!isFlaw(expression));
      const block = oneBlock([{ time: 0n, tags: {}, values: [] }], 1, 0n);
      compare(valueAt(evaluatorOf(expression).evaluate(block), 0), value, text);
    });
  }

  it('takes values out of a moving mean again without a trace', () => {
    const expression = parseExpression("movingMean(a, '2ns')");
    assert.ok(!isFlaw(expression));
    const rows = [1e16, 1, 1, 3.25, 0.1].map((value, i) => ({ time: BigInt(i), tags: {}, values: [value] }));
    const block = oneBlock(rows, 5, 0n);
    const column = evaluatorOf(expression).evaluate(block);
    assert.deepEqual(
      [2, 3, 4].map((row) => valueAt(column, row)),
      [1, 2.125, 1.675],
    );
  });

  it('knows nothing of what was restored where a stream begins', () => {
    const rows = [3, 1, 2].map((value, i) => ({ time: BigInt(i) * 500_000_000n, tags: {}, values: [value] }));
    const block = oneBlock(rows, rows.length, 0n);
    const texts = [
      ...runningFunctions.map((name) => `${name}(a)`),
      ...windows.map((name) => `${name}(a, '2s')`),
    ];
    for (const text of texts) {
      const expression = parseExpression(text);
      assert.ok(!isFlaw(expression));
      const wanted = rows.map((_, row) => valueAt(evaluatorOf(expression).evaluate(block), row));
      const saved = evaluatorOf(expression);
      saved.evaluate(block);
      const evaluator = evaluatorOf(expression);
      evaluator.restore(saved.save());
      for (const round of ['restored', 'of the stream before']) {
        evaluator.beginStream();
        const column = evaluator.evaluate(block);
        assert.deepEqual(
          rows.map((_, row) => valueAt(column, row)),
          wanted,
          `${text}, ${round}`,
        );
      }
    }
  });

  it('is refused where a window has too many values, or a tag', () => {
    const many = Array.from({ length: 1_000_001 }, (_, i) => ({ time: BigInt(i), tags: {}, values: [1] }));
    const block = oneBlock(many, many.length, 0n);
    assert.throws(() => evaluate("movingMean(a, '1h')", block), { code: 'query_too_large' });
    const laps = Array.from({ length: 10_001 }, (_, i) => ({
      time: BigInt(i),
      tags: { Lap: `${i}` },
      values: [1],
    }));
    const ofLaps = oneBlock(laps, laps.length, 0n);
    assert.throws(() => evaluate("over(sum(a), 'Lap')", ofLaps), { code: 'query_too_large' });
    const few = oneBlock(many.slice(0, 1000), 1000, 0n);
    evaluate("movingMean(a, '1h')", few, valueRoom(1024));
    assert.throws(() => evaluate("movingMean(a, '1h')", few, valueRoom(1023)), { code: 'query_too_large' });
  });
});

function evaluate(text: string, block: StreamRows, room?: ValueRoom): NumberColumn | undefined {
  const expression = parseExpression(text);
  assert.ok(!isFlaw(expression));
  return evaluatorOf(expression, room).evaluate(block);
}

function oneBlock(rows: readonly PlainRow[], length: number, from: bigint): StreamRows {
  return blocksOf(rows, length, from)[0]!.block;
}

/** Equal, or as near as other orders of adding come. */
function compare(found: number | undefined, wanted: number | undefined, what: string): void {
  if (Object.is(found, wanted) || found === wanted) return;
  assert.ok(found !== undefined && wanted !== undefined, `${what}: ${found}, not ${wanted}`);
  const scale = Math.max(1, Math.abs(found), Math.abs(wanted));
  assert.ok(Math.abs(found - wanted) <= 1e-9 * scale, `${what}: ${found}, not ${wanted}`);
}

function valueAt(column: NumberColumn | undefined, row: number): number | undefined {
  return column !== undefined && isPresent(column.present, row) ? column.values[row] : undefined;
}

/** Blocks of so many rows; each has its own base, some days apart. */
function blocksOf(
  rows: readonly PlainRow[],
  length: number,
  from: bigint,
): { first: number; block: StreamRows }[] {
  const blocks: { first: number; block: StreamRows }[] = [];
  for (let first = 0; first < rows.length; first += blocks.at(-1)!.block.count) {
    const base = rows[first]!.time - 5n;
    // Offsets are below 2^53, which is 104 days.
    const own = rows.slice(first, first + length).filter(({ time }) => time - base < 2n ** 53n);
    const firstWanted = own.findIndex(({ time }) => time >= from);
    const block: StreamRows = {
      count: own.length,
      base,
      offsets: Float64Array.from(own, ({ time }) => Number(time - base)),
      firstWanted: firstWanted < 0 ? own.length : firstWanted,
      column(parameter) {
        const values = own.map((row) => row.values[parameter]);
        if (values.every((value) => value === undefined)) return undefined;
        const present = allPresent(own.length);
        for (const [row, value] of values.entries())
          if (value === undefined) present[row >> 3]! &= ~(1 << (row & 7));
        const isWhole = values.every((value) => value !== undefined);
        return {
          values: Float64Array.from(values, (value) => value ?? 1e300),
          present: isWhole ? undefined : present,
        };
      },
      tag(name) {
        const texts = [...new Set(own.map(({ tags }) => tags[name]))];
        const index =
          texts.length === 1 ? undefined : Uint32Array.from(own, ({ tags }) => texts.indexOf(tags[name]));
        return { texts, index };
      },
    };
    blocks.push({ first, block });
  }
  return blocks;
}

/** Numbers that stay away from the edges of conditions and of rounding where adding in another order would tell. */
function numbers(): fc.Arbitrary<number> {
  return fc.oneof(
    { weight: 20, arbitrary: fc.integer({ min: -6, max: 6 }) },
    { weight: 1, arbitrary: fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY) },
  );
}

function streams(): fc.Arbitrary<PlainRow[]> {
  const row = fc.record({
    step: fc.constantFrom(0n, 1n, 1_000_000_000n, 500_000_000n, 90n * 86_400_000_000_000n),
    lap: fc.constantFrom(undefined, '1', '2'),
    car: fc.constantFrom(undefined, 'x'),
    values: fc.tuple(...names.map(() => fc.option(numbers(), { nil: undefined, freq: 3 }))),
  });
  const shape = fc.record({
    rows: fc.array(row, { minLength: 1, maxLength: 60 }),
    // Columns without a gap go other ways, and so do several tag sets by turns at one time.
    isDense: fc.boolean(),
    setsOfTime: fc.constantFrom(1, 1, 2, 3),
  });
  return shape.map(({ rows, isDense, setsOfTime }) => {
    let time = 1_600_000_000_000_000_000n;
    return rows.map(({ step, lap, car, values }, i) => {
      if (i % setsOfTime === 0) time += step;
      const own = isDense ? values.map((value) => value ?? i % 5) : values;
      const turn = setsOfTime === 1 ? lap : String(i % setsOfTime);
      return { time, tags: { Lap: turn, Car: car }, values: own };
    });
  });
}

/** Texts of expressions; sines and the like stand around the outermost only, so that differences do not grow. */
function expressions(depth: number): fc.Arbitrary<string> {
  const leaf = fc.constantFrom(...names, '2', '0.5', '0');
  if (depth === 0) return leaf;
  const inner = expressions(depth - 1);
  const steady = ['abs', 'floor', 'ceil', 'sign', 'round'] as const;
  const others = (Object.keys(rowFunctions) as (keyof typeof rowFunctions)[]).filter(
    (name) => rowFunctions[name].most === 1,
  );
  return fc.oneof(
    leaf,
    fc
      .tuple(inner, fc.constantFrom('+', '-', '*', '&&', '||', '<', '<=', '>', '>=', '==', '!='), inner)
      .map(([left, sign, right]) => `(${left} ${sign} ${right})`),
    fc.tuple(fc.constantFrom('-', '!'), inner).map(([sign, x]) => `(${sign}${x})`),
    fc.tuple(inner, inner, inner).map(([x, y, z]) => `(${x} ? ${y} : ${z})`),
    fc
      .tuple(fc.constantFrom('min', 'max', 'hypot'), inner, inner)
      .map(([name, x, y]) => `${name}(${x}, ${y})`),
    fc.tuple(inner, inner, inner).map(([x, y, z]) => `clamp(${x}, ${y}, ${z})`),
    fc.tuple(fc.constantFrom(...steady), inner).map(([name, x]) => `${name}(${x})`),
    fc.tuple(fc.constantFrom(...runningFunctions), leaf).map(([name, x]) => `${name}(${x})`),
    fc.tuple(fc.constantFrom(...windows), leaf).map(([name, x]) => `${name}(${x}, '1.5s')`),
    fc.tuple(fc.constantFrom('Lap', 'Car'), inner).map(([tag, x]) => `over(${x}, '${tag}')`),
    fc
      .tuple(fc.constantFrom('previous', 'fill', 'movingMax'), inner)
      .map(([name, x]) => (name === 'movingMax' ? `movingMax(${x}, '2s')` : `${name}(${x})`)),
    depth === 4 ? fc.tuple(fc.constantFrom(...others), leaf).map(([name, x]) => `${name}(${x})`) : leaf,
    depth === 4
      ? fc.tuple(fc.constantFrom('%', '^', '/'), leaf, leaf).map(([s, x, y]) => `${x} ${s} ${y}`)
      : leaf,
  );
}
