import { valueText } from './decimal-text.ts';
import { durationText } from './literals.ts';
import { plainLabel, plainMetric } from './matchers.ts';
import type { Aggregate, Binary, Expression, Matching, Shifted, VectorSelector } from './syntax.ts';

/** The most characters of a line; what is longer stands on several. */
const lineLength = 100;
const indent = '  ';

/** An expression in one form. */
export function printed(expression: Expression, level = 0): string {
  const line = inOneLine(expression);
  const prefix = indent.repeat(level);
  if (line.length <= lineLength) return prefix + line;
  return onLines(expression, level);
}

function onLines(expression: Expression, level: number): string {
  const prefix = indent.repeat(level);
  const inner = (one: Expression): string => printed(one, level + 1);
  switch (expression.type) {
    case 'paren':
      return `${prefix}(\n${inner(expression.of)}\n${prefix})`;
    case 'unary':
      return `${prefix}${expression.operator}${printed(expression.of, level).trimStart()}`;
    case 'binary':
      return `${inner(expression.left)}\n${prefix}${operatorText(expression)}\n${inner(expression.right)}`;
    case 'aggregate': {
      const { parameter, of } = expression;
      const args = parameter === undefined ? inner(of) : `${inner(parameter)},\n${inner(of)}`;
      return `${prefix}${aggregateHead(expression)} (\n${args}\n${prefix})`;
    }
    case 'call':
      return `${prefix}${expression.name}(\n${expression.args.map(inner).join(',\n')}\n${prefix})`;
    case 'subquery':
      return `${printed(expression.of, level)}[${durationText(expression.range)}:${stepText(expression.step)}]${shiftText(expression)}`;
    default:
      return prefix + inOneLine(expression);
  }
}

/** All of it in one line. */
export function inOneLine(expression: Expression): string {
  switch (expression.type) {
    case 'number':
      return expression.value === Number.POSITIVE_INFINITY ? 'Inf' : valueText(expression.value);
    case 'string':
      return quoted(expression.value);
    case 'vector':
      return selectorText(expression) + shiftText(expression);
    case 'matrix': {
      const { selector, range } = expression;
      return `${selectorText(selector)}[${durationText(range)}]${shiftText(selector)}`;
    }
    case 'subquery': {
      const { of, range, step } = expression;
      return `${inOneLine(of)}[${durationText(range)}:${stepText(step)}]${shiftText(expression)}`;
    }
    case 'paren':
      return `(${inOneLine(expression.of)})`;
    case 'unary':
      return expression.operator + inOneLine(expression.of);
    case 'binary':
      return `${inOneLine(expression.left)} ${operatorText(expression)} ${inOneLine(expression.right)}`;
    case 'aggregate': {
      const { parameter, of } = expression;
      const args = parameter === undefined ? inOneLine(of) : `${inOneLine(parameter)}, ${inOneLine(of)}`;
      return `${aggregateHead(expression)} (${args})`.replace(/^(\w+) \(/, '$1(');
    }
    case 'call':
      return `${expression.name}(${expression.args.map(inOneLine).join(', ')})`;
  }
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function label(name: string): string {
  return plainLabel.test(name) ? name : quoted(name);
}

function selectorText({ name, matchers }: VectorSelector): string {
  const others = name === undefined ? matchers : matchers.slice(0, -1);
  const texts = others.map((one) => `${label(one.name)}${one.operator}${quoted(one.value)}`).sort();
  if (name !== undefined && !plainMetric.test(name)) return `{${[quoted(name), ...texts].join(',')}}`;
  return (name ?? '') + (texts.length > 0 ? `{${texts.join(',')}}` : '');
}

function shiftText({ at, offset }: Shifted): string {
  const time = at === undefined ? '' : typeof at === 'number' ? ` @ ${(at / 1000).toFixed(3)}` : ` @ ${at}()`;
  return time + (offset === 0 ? '' : ` offset ${durationText(offset)}`);
}

function stepText(step: number | undefined): string {
  return step === undefined ? '' : durationText(step);
}

function aggregateHead({ operator, without, labels }: Aggregate): string {
  if (without) return `${operator} without (${labels.map(label).join(', ')})`;
  return labels.length > 0 ? `${operator} by (${labels.map(label).join(', ')})` : operator;
}

function operatorText({ operator, bool, matching }: Binary): string {
  return operator + (bool ? ' bool' : '') + (matching === undefined ? '' : matchingText(matching));
}

function matchingText({ on, labels, many, include }: Matching): string {
  const words = { none: '', left: ' group_left', right: ' group_right' };
  const matched =
    on || labels.length > 0 || many !== 'none'
      ? ` ${on ? 'on' : 'ignoring'} (${labels.map(label).join(', ')})`
      : '';
  return `${matched}${words[many]}${many === 'none' ? '' : ` (${include.map(label).join(', ')})`}`;
}
