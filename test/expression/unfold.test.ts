import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isFlaw, parseExpression } from '../../src/expression/parse.ts';
import type { Expression } from '../../src/expression/syntax.ts';
import { cannotUnfold, unfold } from '../../src/expression/unfold.ts';
import { interpret } from './reference.ts';

describe('putting definitions in place', () => {
  it('gives what was written, and what is defined in rows without it', () => {
    const whole = unfolded('c + 1', { c: 'b * 10', b: 'a + 1' });
    assert.deepEqual(new Set(whole.parameters), new Set(['a', 'b', 'c']));
    const row = (values: Record<string, number>) => [
      { time: 0n, tags: {}, values: whole.parameters.map((name) => values[name]) },
    ];
    const value = (values: Record<string, number>) => interpret(whole.root, row(values), 0n)[0];
    assert.equal(value({ a: 1 }), 21);
    assert.equal(value({ a: 1, b: 7 }), 71);
    assert.equal(value({ a: 1, b: 7, c: 3 }), 4);
    assert.equal(value({}), undefined);
  });

  it('knows what looks back inside, and the tags', () => {
    const whole = unfolded('b * 2', { b: "over(movingMean(a, '2s'), 'Lap')" });
    assert.deepEqual([whole.tags, whole.lookBack], [['Lap'], { values: 0, span: 2_000_000_000n }]);
  });

  it('leaves an expression without definitions as it is', () => {
    const plain = parsed('a + b');
    assert.equal(
      unfold(plain, () => undefined),
      plain,
    );
  });

  for (const [definitions, message] of [
    [{ x: 'x + 1' }, 'uses itself: x, x'],
    [{ x: 'y + 1', y: 'z', z: 'max(x, y)' }, 'uses itself: x, y, z, x'],
  ] as const) {
    it(`refuses a circle: ${message}`, () => {
      const all: Record<string, string> = definitions;
      const found = unfold(parsed(all['x']!), (name) => (name in all ? parsed(all[name]!) : undefined), 'x');
      assert.deepEqual(found, { message });
    });
  }

  it('takes a chain of definitions, up to 100 operations together', () => {
    const chain = (length: number) =>
      Object.fromEntries(Array.from({ length }, (_, i) => [`d${i}`, i === 0 ? 'a + 1' : `d${i - 1} + 1`]));
    assert.equal(unfolded('d48 + 1', chain(49)).operations, 99);
    assert.match(flawOf('d50 + 1', chain(51)), /more than 100 operations, with the definitions/);
  });

  it('ends early where each uses the one before twice, however long the chain is', () => {
    const definitions: Record<string, string> = { d0: 'a' };
    for (let i = 1; i < 10_000; i++) definitions[`d${i}`] = `d${i - 1} + d${i - 1}`;
    const asked: string[] = [];
    const found = unfold(parsed('d9999'), (name) => {
      asked.push(name);
      return name in definitions ? parsed(definitions[name]!) : undefined;
    });
    assert.ok(cannotUnfold(found));
    assert.ok(asked.length < 1000, String(asked.length));
  });

  it('counts written parameters, not the names of definitions', () => {
    const sum = (count: number) => Array.from({ length: count }, (_, i) => `p${i}`).join(' + ');
    assert.equal(unfolded('d + e', { d: sum(32), e: 'p0' }).parameters.length, 34);
    assert.match(flawOf('d + q', { d: sum(32) }), /more than 32 parameters/);
  });

  it('ends for definitions of any kind, which use each other by chance', () => {
    const text = fc.constantFrom('a', 'x + y', 'y * y', 'z', 'max(x, y, z)', 'a ? x : z', 'sum(a)', '-y');
    fc.assert(
      fc.property(fc.record({ x: text, y: text, z: text }), text, (definitions, asked) => {
        const found = unfold(parsed(asked), (name) =>
          name in definitions ? parsed(definitions[name as 'x']) : undefined,
        );
        if (!cannotUnfold(found)) assert.ok(found.operations <= 100);
      }),
    );
  });
});

function parsed(text: string): Expression {
  const expression = parseExpression(text);
  assert.ok(!isFlaw(expression), text);
  return expression;
}

function found(text: string, definitions: Record<string, string>) {
  return unfold(parsed(text), (name) => (name in definitions ? parsed(definitions[name]!) : undefined));
}

function unfolded(text: string, definitions: Record<string, string>): Expression {
  const whole = found(text, definitions);
  assert.ok(!cannotUnfold(whole));
  return whole;
}

function flawOf(text: string, definitions: Record<string, string>): string {
  const flaw = found(text, definitions);
  assert.ok(cannotUnfold(flaw));
  return flaw.message;
}
