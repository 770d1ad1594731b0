import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileRule } from '../../src/alerts/compiled-rule.ts';
import { operandRows } from '../../src/alerts/operand-rows.ts';
import type { RuleState } from '../../src/alerts/rule-state.ts';
import { type StoredState, stateBody, stateOfBody } from '../../src/alerts/stored-state.ts';
import { Kind, type Rows } from '../../src/domain/parameter-data.ts';
import { noTags } from '../../src/domain/tags.ts';
import { isFlaw, parseExpression } from '../../src/expression/parse.ts';
import { whole } from '../../src/turns/steps.ts';
import { interpret } from '../expression/reference.ts';
import { forSeeds, type Random } from '../store/embedded/random.ts';
import { type PlainRow, plainChanges } from './reference.ts';

const expressions = [
  'derivative(a) > 1e9',
  'difference(a) > 2',
  "movingMean(a, '5ns') > 5",
  "movingMax(a, '4ns') - movingMin(b, '7ns') > 3",
  "lowpass(a, '3ns') > 5",
  'a > fill(b)',
  'fill(a) > 5 && fill(b) > 3',
  'previous(a) > 5',
  'sum(a - 4.5) > 2',
  'integral(a - 4.5) > 1e-9',
  "movingMean(derivative(fill(a)), '6ns') > 1e8",
];

describe('a rule with functions along rows', () => {
  it('says what an interpreter says of all rows that it has seen, over restarts, repeats and late rows', async () => {
    let changes = 0;
    await forSeeds(1, 60, async (random, seed) => {
      const expression = random.pick(expressions);
      const clear = random.chance(0.3) ? random.pick(expressions) : undefined;
      const rule = { name: 'r', expression, forNs: BigInt(random.int(0, 2)), ...(clear && { clear }) };
      const compiled = compileRule({ rule, made: 0, revision: 0 });
      const seen: PlainRow[] = [];
      const writes: PlainRow[][] = [];
      const said: string[] = [];
      let state: RuleState | undefined;
      let time = 0n;
      for (let i = 0; i < 40; i++) {
        const isAgain = writes.length > 0 && random.chance(0.2);
        const rows = isAgain ? random.pick(writes) : someRows(random, time);
        time += BigInt(random.int(0, 4));
        writes.push(rows);
        const last = seen.at(-1)?.time;
        const operands = new Set(compiled.operands);
        seen.push(
          ...rows.filter(
            (row) =>
              (last === undefined || row.time > last) &&
              ((operands.has('a') && row.a !== undefined) || (operands.has('b') && row.b !== undefined)),
          ),
        );
        for (const some of whole(operandRows([rowsOf(rows)], operands)))
          state = whole(compiled.follow(state, some, 0, ({ state, time }) => said.push(`${state} ${time}`)));
        if (state !== undefined && random.chance(0.5)) state = restarted(state);
      }
      const truths = truthsOf(expression, seen);
      const ends = clear === undefined ? undefined : truthsOf(clear, seen);
      const plain = {
        isTrue: (row: PlainRow) => truths.get(row.time),
        clears: ends && ((row: PlainRow) => ends.get(row.time)),
        forNs: rule.forNs,
      };
      const wanted = plainChanges(plain, seen.length === 0 ? [] : [seen]);
      changes += wanted.length;
      const context = `${expression} clear ${clear}, seed ${seed}`;
      assert.deepEqual(
        said,
        wanted.map((one) => `${one.state} ${one.time}`),
        context,
      );
    });
    assert.ok(changes > 200, `${changes} changes`);
  });

  it('begins anew where a calculated parameter means something else', () => {
    const rule = { name: 'r', expression: 'x > 5', forNs: 0n };
    const item = (text: string) =>
      [
        { kind: 'calculated', topic: 't', id: 'x', body: JSON.stringify({ expression: text }), updatedAt: 0 },
      ] as const;
    const before = compileRule({ rule, made: 0, revision: 0 }, undefined, item('previous(a) + 0'));
    const after = compileRule({ rule, made: 0, revision: 0 }, undefined, item('previous(a) * 1'));
    const rows = (time: bigint) =>
      whole(operandRows([rowsOf([{ time, tags: '', a: 9 }])], new Set(['a'])))[0]!;
    const told: bigint[] = [];
    const state = whole(before.follow(undefined, rows(1n), 0, ({ time }) => told.push(time)));
    whole(before.follow(state, rows(2n), 0, ({ time }) => told.push(time)));
    assert.deepEqual(told, [2n]);
    whole(after.follow(state, rows(2n), 0, ({ time }) => told.push(time)));
    assert.deepEqual(told, [2n]);
  });

  it('refuses to remember very much', () => {
    const rule = { name: 'r', expression: "movingMean(a, '1s') > 5", forNs: 0n };
    const compiled = compileRule({ rule, made: 0, revision: 0 });
    const many = Array.from({ length: 1100 }, (_, i) => ({ time: BigInt(i), tags: '', a: 1 }));
    const follow = (rows: PlainRow[]) =>
      whole(
        compiled.follow(
          undefined,
          whole(operandRows([rowsOf(rows)], new Set(['a'])))[0]!,
          0,
          () => undefined,
        ),
      );
    follow(many.slice(0, 1000));
    assert.throws(() => follow(many), /its windows have too many values/);
  });
});

function restarted(state: RuleState): RuleState {
  const kept: StoredState = { ...state, made: 0, revision: 0, told: false };
  const { made, revision, told, ...others } = stateOfBody(stateBody(kept))!;
  return others;
}

function truthsOf(text: string, rows: readonly PlainRow[]): Map<bigint, boolean | undefined> {
  const parsed = parseExpression(text);
  assert.ok(!isFlaw(parsed));
  const plain = rows.map((row) => ({
    time: row.time,
    tags: {},
    values: parsed.parameters.map((name) => row[name as 'a' | 'b']),
  }));
  const values = interpret(parsed.root, plain, -(2n ** 63n));
  return new Map(rows.map(({ time }, i) => [time, values[i] === undefined ? undefined : values[i] !== 0]));
}

/** Rows in order of time, some of them late. */
function someRows(random: Random, after: bigint): PlainRow[] {
  let time = after;
  return Array.from({ length: random.int(1, 6) }, () => {
    time += BigInt(random.int(1, 3));
    const value = () => (random.chance(0.6) ? random.int(0, 9) : undefined);
    return { time, tags: '', a: value(), b: value() };
  });
}

function rowsOf(rows: readonly PlainRow[]): Rows {
  const base = rows[0]!.time;
  const column = (name: 'a' | 'b') => {
    const present = new Uint8Array((rows.length + 7) >> 3);
    for (const [i, row] of rows.entries()) if (row[name] !== undefined) present[i >> 3]! |= 1 << (i & 7);
    return { kind: Kind.Numeric, name, values: Float64Array.from(rows, (row) => row[name] ?? -1), present };
  };
  return {
    count: rows.length,
    base,
    offsets: Float64Array.from(rows, ({ time }) => Number(time - base)),
    tagSets: [noTags],
    tagIndex: undefined,
    columns: [column('a'), column('b')],
  };
}
