import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { expressionLimits, isFlaw, parseExpression } from '../../src/expression/parse.ts';
import type { Expression, ExpressionFlaw, Node } from '../../src/expression/syntax.ts';

describe('an expression', () => {
  for (const [text, written] of [
    ['Speed / 3.6', '(Speed / 3.6)'],
    ['"Oil Temp" - "Water Temp"', '(Oil Temp - Water Temp)'],
    ['Brake > 20 && Throttle > 5 ? 1 : 0', '(((Brake > 20) && (Throttle > 5)) ? 1 : 0)'],
    ['a || b && c == d < e + f * -g ^ h', '(a || (b && (c == (d < (e + (f * (-(g ^ h))))))))'],
    ['a - b - c', '((a - b) - c)'],
    ['a ^ b ^ c', '(a ^ (b ^ c))'],
    ['10 ^ -3', '(10 ^ (-3))'],
    ['!!a', '(!(!a))'],
    ['a ? b : c ? d : e', '(a ? b : (c ? d : e))'],
    ['(a + b) % .5e1', '((a + b) % 5)'],
    ['"say ""hi"""', 'say "hi"'],
    ['min', 'min'],
    ['min(min, Größe, _2)', 'min(min, Größe, _2)'],
    ["over(integral(v) , 'Lap''s')", "over(integral(v), 'Lap's')"],
    ["movingMean(v,'0.5s')", 'movingMean(v, 500000000)'],
  ] as const) {
    it(`reads ${text}`, () => assert.equal(writtenOut(read(text)), written));
  }

  it('names each parameter and tag once, in order of first use', () => {
    const { parameters, tags } = read(
      "b + a * b + over(sum(c), 'Lap') + over(sum(a), 'Lap') - over(d, 'Set')",
    );
    assert.deepEqual(parameters, ['b', 'a', 'c', 'd']);
    assert.deepEqual(tags, ['Lap', 'Set']);
  });

  for (const [text, position, message] of [
    ['', 0, 'expected a value, and the expression ends'],
    ['a +', 3, 'expected a value, and the expression ends'],
    ['a b', 2, 'expected an operator or the end, and found b'],
    ['(a', 2, 'expected an operator or ")", and the expression ends'],
    ['a)', 1, 'expected an operator or the end, and found )'],
    ['a = b', 2, 'has "=", and equality is written "=="'],
    ['a & b', 2, 'has "&", and it is written "&&"'],
    ['a # b', 2, 'has "#", which means nothing in an expression'],
    ['"a', 0, 'begins a quoted text that " does not end'],
    ['""', 0, 'has an empty name'],
    ['3km', 0, 'has 3km, which is neither a number nor a name; put a name in double quotes'],
    ['1e999', 0, 'has 1e999, which is too large for a number'],
    ['a ? b', 5, 'expected an operator or ":", and the expression ends'],
    ["'s'", 0, "expected a value, and found 's'"],
    ['atan2(a)', 0, 'has atan2 of 1, and it is atan2(y, x)'],
    ['1 + clamp(a, b)', 4, 'has clamp of 2, and it is clamp(x, low, high)'],
    ['1 + max(a)', 4, 'has max of 1, and it is max(x, y, …) of 2 to 32'],
    [`min(${'a, '.repeat(32)}a)`, 0, 'has min of 33, and it is min(x, y, …) of 2 to 32'],
    [`a + hypot(${'a, '.repeat(32)}a)`, 4, 'has hypot of 33, and it is hypot(x, y, …) of 2 to 32'],
    ['sum(a, b)', 5, 'expected an operator or ")", as in sum(x), and found ,'],
    [
      "movingMean(a, '2 weeks')",
      14,
      "expected a time such as '2s' or '100ms' (ns us ms s m h d; at most '366d')",
    ],
    ['movingMean(a, 2)', 14, "expected a time in single quotes, such as '2s', and found 2"],
    ["lowpass(a, '0s')", 11, "expected a time such as '2s' or '100ms' (ns us ms s m h d; at most '366d')"],
    ['over(a, Lap)', 8, 'expected the name of a tag in single quotes, and found Lap'],
  ] as const) {
    it(`says where ${JSON.stringify(text)} is wrong`, () =>
      assert.deepEqual(parseExpression(text), { position, message }));
  }

  it('names the functions where one is not there', () => {
    const { position, message } = flaw('1 + average(a)');
    assert.equal(position, 4);
    assert.match(
      message,
      /^has average\(…\), and there is no such function; there are abs .* hypot previous .* over$/,
    );
  });

  it('takes as much as is allowed, and no more', () => {
    const sumOf = (count: number) => Array.from({ length: count }, () => 'a').join('+');
    read(sumOf(expressionLimits.operations + 1));
    assert.deepEqual(flaw(sumOf(expressionLimits.operations + 2)), {
      position: 2 * expressionLimits.operations + 1,
      message: 'has more than 100 operations',
    });
    const names = (count: number) => Array.from({ length: count }, (_, i) => `p${i}`).join('+');
    assert.equal(read(names(32)).parameters.length, 32);
    assert.match(flaw(names(33)).message, /more than 32 parameters/);
    const inBrackets = (count: number) => `${'('.repeat(count)}a${')'.repeat(count)}`;
    read(inBrackets(16));
    assert.deepEqual(flaw(inBrackets(17)), { position: 17, message: 'has more than 16 levels' });
    for (const nest of ['-', '!', '2^', 'a?b:', 'abs('])
      assert.match(
        flaw(`${nest.repeat(17)}a${')'.repeat(nest === 'abs(' ? 17 : 0)}`).message,
        /16 levels/,
        nest,
      );
    read(`a${' '.repeat(1023)}`);
    assert.deepEqual(flaw(`a${' '.repeat(1024)}`), {
      position: 1024,
      message: 'has 1025 characters, and 1024 are allowed',
    });
  });

  for (const [text, values, span] of [
    ["previous(a) + movingMean(b, '2s')", 1, 2],
    ["previous(movingMean(difference(a), '2s'))", 2, 2],
    ["lowpass(fill(a), '0.5s')", 1, 5],
    ['integral(a)', 0, 0],
    ['integral(previous(a))', 1, 0],
  ] as const) {
    it(`knows how far ${text} looks back`, () =>
      assert.deepEqual(read(text).lookBack, { values, span: BigInt(span) * 1_000_000_000n }));
  }

  it('knows that an expression of rows does not look back', () =>
    assert.equal(read('a ? -b : min(c, 1)').lookBack, undefined));
});

function read(text: string): Expression {
  const parsed = parseExpression(text);
  assert.ok(!isFlaw(parsed), inspect(parsed));
  return parsed;
}

function flaw(text: string): ExpressionFlaw {
  const parsed = parseExpression(text);
  assert.ok(isFlaw(parsed), text);
  return parsed;
}

/** The tree with brackets around everything. */
function writtenOut({ root, parameters }: Expression): string {
  const write = (node: Node): string => {
    switch (node.type) {
      case 'number':
        return String(node.value);
      case 'parameter':
        return parameters[node.parameter]!;
      case 'unary':
        return `(${node.operator}${write(node.operand)})`;
      case 'binary':
        return `(${write(node.left)} ${node.operator} ${write(node.right)})`;
      case 'choice':
        return `(${write(node.condition)} ? ${write(node.whenTrue)} : ${write(node.whenFalse)})`;
      case 'call':
        return `${node.name}(${node.args.map(write).join(', ')})`;
      case 'running':
        return `${node.name}(${write(node.operand)})`;
      case 'window':
        return `${node.name}(${write(node.operand)}, ${node.width})`;
      case 'defined':
        return `${parameters[node.written]!}{${write(node.definition)}}`;
      case 'over':
        return `over(${write(node.operand)}, '${node.tag}')`;
    }
  };
  return write(root);
}
