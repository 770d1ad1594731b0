import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { isPresent, Kind } from '../../../../src/domain/parameter-data.ts';
import { evaluatorOf } from '../../../../src/expression/evaluate.ts';
import { isFlaw, parseExpression } from '../../../../src/expression/parse.ts';
import type { Expression } from '../../../../src/expression/syntax.ts';
import { isAggregate, planQuery } from '../../../../src/query/plan/plan.ts';
import { expressionSql } from '../../../../src/store/clickhouse/read/expression-sql.ts';
import { param, print, sql } from '../../../../src/store/clickhouse/server/sql.ts';
import { type Engine, engineMissing, startEngine } from '../../../clickhouse/engine.ts';
import { rowsOf } from '../../embedded/rows.ts';
import { openStore, withClickHouse } from '../open-store.ts';

const awkward = [0, -0, 1, -1, 2.5, -2.5, 0.1, 3.6, 1e300, -1e300, 5e-324, 2 ** 53 + 2, Number.NaN];
const numbers = [...awkward, 0.49999999999999994, -0.5, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
/** Each number beside each, and the second one missing. */
const pairs = numbers.flatMap((x) => [...numbers, undefined].map((y) => [x, y] as const));

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
          // Both are in it.
          const expression = parsed(`x == x || x != y ? (${text}) : y`);
          const row = expressionSql(expression);
          // Some are too long.
          fc.pre(row !== undefined);
          const columns = pairs.map(([x, y]) => ({ x, y: y ?? 0, has: y === undefined ? 0n : 1n }));
          const bits = (values: number[]) => param([...bitsOf(values)], 'Array(UInt64)');
          const statement =
            print(sql`SELECT groupArray(toString(reinterpretAsUInt64(toFloat64(${row.value})))), groupArray(toString(toUInt8(${row.isThere ?? sql`has_0 AND has_1`}))) FROM (
            SELECT reinterpretAsFloat64(a) AS operand_0, reinterpretAsFloat64(b) AS operand_1, 1 AS has_0, c AS has_1 FROM system.one
            ARRAY JOIN ${bits(columns.map(({ x }) => x))} AS a, ${bits(columns.map(({ y }) => y))} AS b, ${param(
              columns.map(({ has }) => has),
              'Array(UInt64)',
            )} AS c)`);
          const [found] = await clickhouse.rows<[values: string[], present: string[]]>(statement);
          const [values, present] = found!;
          const given = new Float64Array(BigUint64Array.from(values.map(BigInt)).buffer);
          const told = [...given].map((value, i) => (Number(present[i]) === 0 ? undefined : value));
          assert.deepEqual(told, evaluated(expression), text);
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
        cells: { Speed: i, Rpm: 2 * i, Half: i % 2 === 0 ? i : null },
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
      const here = await answer('sin(Speed) * 0 + Speed > 500 ? Speed : -Speed');
      const there = await answer('Speed > 500 ? Speed : -Speed');
      assert.deepEqual(there.found, here.found);
      assert.ok(here.read >= 900, String(here.read));
      assert.ok(there.read <= 12, String(there.read));
      for (const text of [
        'Speed * Rpm',
        'Speed > 500 && Rpm > 5 ? Speed : -Rpm',
        'Speed * Half',
        'Speed > 500 ? Half : Rpm',
        'Speed * Nothing',
        'Speed > 500 ? Nothing : Rpm',
      ]) {
        const [ofTwo, byNode] = [await answer(text), await answer(`sin(Speed) * 0 + (${text})`)];
        assert.deepEqual(ofTwo.found, byNode.found, text);
        assert.ok(ofTwo.read <= 12, `${text}: ${ofTwo.read}`);
      }
    } finally {
      await store.close();
    }
  });

  it('is not made of what ClickHouse calculates in its own way, and of rows before', () => {
    for (const text of ['x ^ 3', 'x ^ y', 'sin(x)', 'exp(x)', 'x % 3', 'previous(x)', "over(x, 'Lap')"])
      assert.equal(expressionSql(parsed(text)), undefined, text);
    const nested = (depth: number): string => (depth === 0 ? 'x' : `max(${nested(depth - 1)}, 1)`);
    assert.equal(expressionSql(parsed(nested(12))), undefined);
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

function evaluated(expression: Expression): (number | undefined)[] {
  const evaluator = evaluatorOf(expression);
  evaluator.beginStream();
  const count = pairs.length;
  const present = new Uint8Array(Math.ceil(count / 8));
  for (const [i, [, y]] of pairs.entries()) if (y !== undefined) present[i >> 3]! |= 1 << (i & 7);
  const columns = [
    { values: Float64Array.from(pairs, ([x]) => x), present: undefined },
    { values: Float64Array.from(pairs, ([, y]) => y ?? 0), present },
  ];
  const column = evaluator.evaluate({
    count,
    base: 0n,
    offsets: Float64Array.from(pairs, (_, i) => i),
    firstWanted: 0,
    column: (parameter) => columns[parameter]!,
    tag: () => ({ texts: [undefined], index: undefined }),
  });
  return pairs.map((_, i) => (column && isPresent(column.present, i) ? column.values[i] : undefined));
}

function expressions(depth: number): fc.Arbitrary<string> {
  if (depth === 0) return fc.constantFrom('x', 'y', 'x', 'y', '0', '3.6', '1e300', '0.1', '(0 / 0)');
  const inner = expressions(depth - 1);
  const operators = ['+', '-', '*', '/', '==', '!=', '<', '<=', '>', '>=', '&&', '||'];
  return fc.oneof(
    fc
      .tuple(inner, fc.constantFrom(...operators), inner)
      .map(([x, operator, y]) => `(${x} ${operator} ${y})`),
    fc
      .tuple(fc.constantFrom('-', '!', 'abs', 'sqrt', 'floor', 'ceil', 'round', 'sign'), inner)
      .map(([of, x]) => `${of}(${x})`),
    fc.tuple(inner, fc.constantFrom('2', '1', '-1')).map(([x, power]) => `(${x} ^ ${power})`),
    fc.tuple(fc.constantFrom('min', 'max'), inner, inner).map(([of, x, y]) => `${of}(${x}, ${y})`),
    fc.tuple(inner, inner, inner).map(([x, y, z]) => `(${x} ? ${y} : ${z})`),
    fc.tuple(inner, inner, inner).map(([x, y, z]) => `clamp(${x}, ${y}, ${z})`),
  );
}
