/**
 * The formula of a conversion, such as `X1 * 2 + sqrt(X1)`, as a function of the raw number; undefined where something in it is not
 * known. Its grammar, in which `X` and `X1` are the raw number, and `^` and `**` are powers:
 *
 *   sum     = product { ( "+" | "-" ) product }
 *   product = signed { ( "*" | "/" ) signed }
 *   signed  = { "+" | "-" } power
 *   power   = value [ ( "^" | "**" ) signed ]
 *   value   = number | "X" | "X1" | "pi" | name "(" sum { "," sum } ")" | "(" sum ")"
 */
export function parseFormula(text: string): ((raw: number) => number) | undefined {
  const tokens = text.match(token) ?? [];
  if (text.replace(token, '').trim() !== '' || tokens.length > mostTokens) return undefined;
  const parser = { tokens, at: 0, depth: 0 };
  try {
    const whole = sum(parser);
    return parser.at === tokens.length ? whole : undefined;
  } catch (error) {
    if (error instanceof Unknown) return undefined;
    throw error;
  }
}

type Term = (raw: number) => number;

interface Parser {
  readonly tokens: readonly string[];
  at: number;
  depth: number;
}

class Unknown extends Error {}

const token = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[A-Za-z_]\w*|\*\*|[-+*/^(),]/g;
const mostTokens = 2000;
const deepest = 100;

const functions: ReadonlyMap<string, (...values: number[]) => number> = new Map([
  ['sin', Math.sin],
  ['cos', Math.cos],
  ['tan', Math.tan],
  ['asin', Math.asin],
  ['acos', Math.acos],
  ['atan', Math.atan],
  ['arcsin', Math.asin],
  ['arccos', Math.acos],
  ['arctan', Math.atan],
  ['atan2', Math.atan2],
  ['sinh', Math.sinh],
  ['cosh', Math.cosh],
  ['tanh', Math.tanh],
  ['exp', Math.exp],
  ['log', Math.log],
  ['ln', Math.log],
  ['log10', Math.log10],
  ['sqrt', Math.sqrt],
  ['abs', Math.abs],
  ['pow', Math.pow],
  ['floor', Math.floor],
  ['ceil', Math.ceil],
]);

function next(parser: Parser, ...wanted: readonly string[]): string | undefined {
  const found = parser.tokens[parser.at];
  if (found === undefined || !wanted.includes(found)) return undefined;
  parser.at++;
  return found;
}

function expect(parser: Parser, wanted: string): void {
  if (next(parser, wanted) === undefined) throw new Unknown();
}

function sum(parser: Parser): Term {
  if (++parser.depth > deepest) throw new Unknown();
  let left = product(parser);
  for (;;) {
    const operator = next(parser, '+', '-');
    if (operator === undefined) break;
    const [first, second] = [left, product(parser)];
    left = operator === '+' ? (raw) => first(raw) + second(raw) : (raw) => first(raw) - second(raw);
  }
  parser.depth--;
  return left;
}

function product(parser: Parser): Term {
  let left = signed(parser);
  for (;;) {
    const operator = next(parser, '*', '/');
    if (operator === undefined) return left;
    const [first, second] = [left, signed(parser)];
    left = operator === '*' ? (raw) => first(raw) * second(raw) : (raw) => first(raw) / second(raw);
  }
}

function signed(parser: Parser): Term {
  let isNegative = false;
  for (let sign = next(parser, '+', '-'); sign !== undefined; sign = next(parser, '+', '-'))
    if (sign === '-') isNegative = !isNegative;
  const value = power(parser);
  return isNegative ? (raw) => -value(raw) : value;
}

function power(parser: Parser): Term {
  const base = value(parser);
  if (next(parser, '^', '**') === undefined) return base;
  if (++parser.depth > deepest) throw new Unknown();
  const exponent = signed(parser);
  parser.depth--;
  return (raw) => base(raw) ** exponent(raw);
}

function value(parser: Parser): Term {
  const found = parser.tokens[parser.at++] ?? '';
  if (found === '(') {
    const inner = sum(parser);
    expect(parser, ')');
    return inner;
  }
  if (/^[\d.]/.test(found)) return () => Number(found);
  if (/^x1?$/i.test(found)) return (raw) => raw;
  if (found.toLowerCase() === 'pi') return () => Math.PI;
  const call = functions.get(found.toLowerCase());
  if (call === undefined) throw new Unknown();
  expect(parser, '(');
  const given = [sum(parser)];
  while (next(parser, ',') !== undefined) given.push(sum(parser));
  expect(parser, ')');
  if (given.length !== (found.toLowerCase() === 'pow' || found.toLowerCase() === 'atan2' ? 2 : 1))
    throw new Unknown();
  return (raw) => call(...given.map((one) => one(raw)));
}
