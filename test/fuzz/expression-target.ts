import { evaluatorOf } from '../../src/expression/evaluate.ts';
import { expressionLimits, isFlaw, parseExpression } from '../../src/expression/parse.ts';
import type { Expression, Node } from '../../src/expression/syntax.ts';
import { mutate } from './mutate.ts';
import type { Random } from './random.ts';
import type { Target } from './target.ts';

const corpus = [
  'Speed / 3.6',
  '"Oil Temp" - "Water Temp"',
  'Brake > 20 && Throttle > 5 ? 1 : 0',
  "over(integral(Speed / 3.6), 'LapNumber')",
  "lowpass(movingMean(fill(a), '2s'), '0.5s') ^ -2 % 3",
  'clamp(min(a, b, c), -1e3, .5) != !(a || b) == c <= d',
  'hypot(sin(x), atan2(y, 1)) - previous(difference(derivative(sum(z))))',
].map((text) => Buffer.from(text));
const words = [
  '(',
  ')',
  ',',
  '?',
  ':',
  '"',
  "'",
  '^',
  '-',
  '&&',
  '==',
  'over(',
  "'s'",
  '1e308',
  ' ',
  '\u{1f697}',
  'ß',
].map((word) => Buffer.from(word));

/**
 * Reading an expression never throws, and a flaw stands inside the text. One that is understood, written with brackets
 * around everything that has an operator, is understood as the same; its value is found without an error.
 */
export const expressionTarget: Target = {
  name: 'expressions',
  short: 3000,
  make: (random: Random) => mutate(random.pick(corpus), random, words, corpus),
  check(input) {
    const text = input.toString();
    const expression = parseExpression(text);
    if (isFlaw(expression)) {
      const { position, message } = expression;
      if (!(position >= 0 && position <= text.length) || message === '') throw new Error('tells no place');
      return;
    }
    const again = parseExpression(writtenOut(expression));
    // The brackets themselves are levels, and take characters.
    if (isFlaw(again)) {
      if (!/levels|characters/.test(again.message)) throw new Error(`refuses what it read: ${again.message}`);
    } else if (treeText(again.root) !== treeText(expression.root))
      throw new Error('reads something else the second time');
    const { operations } = expressionLimits;
    if (treeText(expression.root).split('"type"').length > 4 * operations)
      throw new Error('takes too many operations');
    evaluatorOf(expression).evaluate({
      count: 2,
      base: 0n,
      offsets: Float64Array.of(0, 1),
      firstWanted: 0,
      column: (parameter) => ({ values: Float64Array.of(parameter, -1), present: undefined }),
      tag: () => ({ texts: ['1'], index: undefined }),
    });
  },
};

function treeText(node: Node): string {
  return JSON.stringify(node, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}

function writtenOut({ root, parameters }: Expression): string {
  const quoted = (text: string, quote: string): string =>
    quote + text.replaceAll(quote, quote + quote) + quote;
  const write = (node: Node): string => {
    switch (node.type) {
      case 'number':
        return String(node.value);
      case 'parameter':
        return quoted(parameters[node.parameter]!, '"');
      case 'unary':
        return `(${node.operator}${write(node.operand)})`;
      case 'binary':
        return `(${write(node.left)}${node.operator}${write(node.right)})`;
      case 'choice':
        return `(${write(node.condition)}?${write(node.whenTrue)}:${write(node.whenFalse)})`;
      case 'call':
        return `${node.name}(${node.args.map(write).join()})`;
      case 'running':
        return `${node.name}(${write(node.operand)})`;
      case 'window':
        return `${node.name}(${write(node.operand)},'${node.width}ns')`;
      case 'defined':
        return `${parameters[node.written]!}{${write(node.definition)}}`;
      case 'over':
        return `over(${write(node.operand)},${quoted(node.tag, "'")})`;
    }
  };
  return write(root);
}
