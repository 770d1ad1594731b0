import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { isPresent, Kind } from '../../../../src/domain/parameter-data.ts';
import { evaluatorOf } from '../../../../src/expression/evaluate.ts';
import { isFlaw, parseExpression } from '../../../../src/expression/parse.ts';
import type { Expression } from '../../../../src/expression/syntax.ts';
import { isAggregate, planQuery } from '../../../../src/query/plan.ts';
import { expressionSql } from '../../../../src/store/clickhouse/read/expression-sql.ts';
import { param, print, sql } from '../../../../src/store/clickhouse/server/sql.ts';
import { type Engine, engineMissing, startEngine } from '../../../clickhouse/engine.ts';
import { rowsOf } from '../../embedded/rows.ts';
import { openStore, withClickHouse } from '../open-store.ts';

const awkward = [0, -0, 1, -1, 2.5, -2.5, 0.1, 3.6, 1e300, -1e300, 5e-324, 2 ** 53 + 2, Number.NaN];
const numbers = [...awkward, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

describe('an expression as SQL', { skip: engineMissing }, () => {
  let engine: Engine;
  before(async () => {
    engine = await startEngine();
    await (await openStore(engine.urlOf('expressions'))).close();
  });
  after(() => engine.stop());

  it('is what the evaluator says, bit for bit', { timeout: 300_000 }, async () => {
    await withClickHouse(engine.urlOf('expressions'), async (clickhouse) => {
      await fc.assert(
        fc.asyncProperty(expressions(3), async (text) => {
          const expression = parsed(`(${text}) + 0 * 0 == 7 ? x : (${text})`);
          const value = expressionSql(expression, sql`operand`);
          // Some are too long.
          fc.pre(value !== undefined);
          const bits = param([...bitsOf(numbers)], 'Array(UInt64)');
          const statement = print(
            sql`SELECT arrayMap(operand -> toString(reinterpretAsUInt64(${value})), arrayMap(b -> reinterpretAsFloat64(b), ${bits}))`,
          );
          const [row] = await clickhouse.rows<[string[]]>(statement);
          const given = new Float64Array(BigUint64Array.from(row![0].map(BigInt)).buffer);
          assert.deepEqual([...given], evaluated(expression), text);
        }),
        { numRuns: 250, includeErrorInReport: true },
      );
    });
  });

  it('is aggregated there: what comes to the node is a row for each group', {
    timeout: 300_000,
  }, async () => {
    const store = await openStore(engine.urlOf('expressions'));
    try {
      const rows = Array.from({ length: 1000 }, (_, i) => ({
        time: BigInt(i),
        cells: { Speed: i, Rpm: 2 * i },
      }));
      await store.append({
        workspace: 'w',
        changes: [{ type: 'rows', topic: 'cars', streamId: 's', rows: [rowsOf(rows)] }],
      });
      const answer = async (text: string) => {
        const plan = planQuery('w', {
          parameters: [{ kind: Kind.Numeric, name: 'Rpm', aggregation: 'Max' }],
          calculated: (['Mean', 'P90'] as const).map((aggregation) => ({
            name: 'C',
            expression: parsed(text),
            aggregation,
          })),
          groupByTime: { width: 250n, interpolation: 'None' },
          from: 100n,
        });
        assert.ok(isAggregate(plan));
        let read = 0;
        const found: unknown[] = [];
        const blocks = store.aggregate(plan, new AbortController().signal, (count) => (read += count));
        for await (const { count, columns } of blocks)
          found.push(
            columns.map((column) => column && 'values' in column && [...column.values.subarray(0, count)]),
          );
        return { read, found };
      };
      const here = await answer('Speed + 0 * Rpm > 500 ? Speed : -Speed');
      const there = await answer('Speed > 500 ? Speed : -Speed');
      assert.deepEqual(there.found, here.found);
      assert.ok(here.read >= 900, String(here.read));
      assert.ok(there.read <= 12, String(there.read));
    } finally {
      await store.close();
    }
  });

  it('is not made of what ClickHouse calculates in its own way, of rows before, and of several operands', () => {
    for (const text of ['x ^ 2', 'sin(x)', 'exp(x)', 'x % 3', 'previous(x)', 'x + y', "over(x, 'Lap')"])
      assert.equal(expressionSql(parsed(text), sql`operand`), undefined, text);
    const nested = (depth: number): string => (depth === 0 ? 'x' : `max(${nested(depth - 1)}, 1)`);
    assert.equal(expressionSql(parsed(nested(12)), sql`operand`), undefined);
  });
});

function bitsOf(values: readonly number[]): BigUint64Array {
  return new BigUint64Array(Float64Array.from(values).buffer);
}

function parsed(text: string): Expression {
  const expression = parseExpression(text);
  assert.ok(!isFlaw(expression), text);
  return expression;
}

function evaluated(expression: Expression): number[] {
  const evaluator = evaluatorOf(expression);
  evaluator.beginStream();
  const column = evaluator.evaluate({
    count: numbers.length,
    base: 0n,
    offsets: Float64Array.from(numbers, (_, i) => i),
    firstWanted: 0,
    column: () => ({ values: Float64Array.from(numbers), present: undefined }),
    tag: () => ({ texts: [undefined], index: undefined }),
  });
  assert.ok(column !== undefined && numbers.every((_, i) => isPresent(column.present, i)));
  return [...column.values.subarray(0, numbers.length)];
}

function expressions(depth: number): fc.Arbitrary<string> {
  if (depth === 0) return fc.constantFrom('x', 'x', '0', '3.6', '1e300', '0.1', '(0 / 0)');
  const inner = expressions(depth - 1);
  const operators = ['+', '-', '*', '/', '==', '!=', '<', '<=', '>', '>=', '&&', '||'];
  return fc.oneof(
    fc
      .tuple(inner, fc.constantFrom(...operators), inner)
      .map(([x, operator, y]) => `(${x} ${operator} ${y})`),
    fc
      .tuple(fc.constantFrom('-', '!', 'abs', 'sqrt', 'floor', 'ceil'), inner)
      .map(([of, x]) => `${of}(${x})`),
    fc.tuple(fc.constantFrom('min', 'max'), inner, inner).map(([of, x, y]) => `${of}(${x}, ${y})`),
    fc.tuple(inner, inner, inner).map(([x, y, z]) => `(${x} ? ${y} : ${z})`),
  );
}
