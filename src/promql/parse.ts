import { parser } from '@prometheus-io/lezer-promql';
import { checkTypes } from './check-types.ts';
import { durationIn } from './duration-nodes.ts';
import { readNumber, readText } from './literal-nodes.ts';
import { bound } from './precedence.ts';
import { badData } from './query-error.ts';
import { readLabels, readMatching } from './read-matching.ts';
import { readSelector } from './read-selector.ts';
import { faultAt, patternAllowance, type Source, type SyntaxNode, type Tree } from './source.ts';
import {
  type Aggregate,
  type AggregateOperator,
  aggregateOperators,
  type BinaryOperator,
  type Expression,
  type MatrixSelector,
  type Subquery,
  type VectorSelector,
} from './syntax.ts';

/** The longest query, and the most levels in it: reading and evaluating go level by level. */
const maxLength = 100_000;
const maxLevels = 150;

/** The expression of a query. Throws `bad_data`, which names line and column, in Prometheus' words where these are known. */
export function parseQuery(text: string): Expression {
  if (text.length > maxLength) {
    throw badData(`the query has ${text.length} characters, and ${maxLength} are allowed`);
  }
  if (text.trim() === '') throw badData('1:1: parse error: no expression found in input');
  const source: Source = { text, at: (node) => text.slice(node.from, node.to), patterns: patternAllowance() };
  const tree = treeOf(source);
  const root = expressionsIn(tree.topNode)[0];
  if (root === undefined) throw badData('1:1: parse error: no expression found in input');
  const expression = read(root, source, 0);
  checkTypes(expression);
  return expression;
}

/**
 * The grammar knows this function by its later name alone. Calls have one form, so it is shown another name of the same length;
 * the name itself is read from the text.
 */
function withKnownNames(text: string): string {
  const pattern = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|#[^\n]*|[a-zA-Z_:][a-zA-Z0-9_:]*(?=\s*\()/g;
  return text.replace(pattern, (found) => (found === 'holt_winters' ? 'day_of_month' : found));
}

/** Stops at the first place that the grammar does not know: going on from there would take long in texts of nothing else. */
const strict = parser.configure({ strict: true });

function treeOf(source: Source): Tree {
  let tree: Tree;
  try {
    tree = strict.parse(withKnownNames(source.text));
  } catch (error) {
    if (error instanceof SyntaxError) throw unexpected(Number(/\d+/.exec(error.message)?.[0] ?? 0), source);
    throw error;
  }
  const walk = tree.cursor();
  let levels = 0;
  for (;;) {
    if (walk.firstChild()) {
      if (++levels > 3 * maxLevels) throw badData(`the query has more than ${maxLevels} levels`);
      continue;
    }
    while (!walk.nextSibling()) {
      if (!walk.parent()) return tree;
      levels--;
    }
  }
}

/** A word before a bracket is the name of a function that the grammar does not know. */
function unexpected(position: number, source: Source): Error {
  const rest = source.text.slice(position);
  const at = position + rest.length - rest.trimStart().length;
  if (rest.trim() === '') return faultAt(source, at, 'unexpected end of input');
  const [called] = /[a-zA-Z_:][a-zA-Z0-9_:]*\s*$/.exec(source.text.slice(Math.max(0, at - 200), at)) ?? [];
  if (called !== undefined && source.text[at] === '(') {
    return faultAt(source, at - called.length, `unknown function with name ${JSON.stringify(called.trim())}`);
  }
  const [word = ''] = /^(?:\w+|\S)/.exec(source.text.slice(at, at + 50)) ?? [];
  return faultAt(source, at, `unexpected ${JSON.stringify(word)}`);
}

/** Names of nodes that are expressions. */
const readers: Readonly<Record<string, (node: SyntaxNode, source: Source, level: number) => Expression>> = {
  NumberDurationLiteral: readNumberLiteral,
  StringLiteral: (node, source) => ({ type: 'string', value: readText(node, source) }),
  VectorSelector: readSelector,
  ParenExpr: (node, source, level) => ({ type: 'paren', of: only(node, source, level) }),
  UnaryExpr: readUnary,
  MatrixSelector: readMatrix,
  SubqueryExpr: readSubquery,
  OffsetExpr: readOffset,
  StepInvariantExpr: readAt,
  BinaryExpr: readBinary,
  AggregateExpr: readAggregate,
  FunctionCall: readCall,
  AnchoredExpr: (node, source) => notThere(node, source, 'the modifier anchored'),
  SmoothedExpr: (node, source) => notThere(node, source, 'the modifier smoothed'),
};

function notThere(node: SyntaxNode, source: Source, what: string): never {
  throw faultAt(source, node.from, `${what} is not supported here`);
}

function read(node: SyntaxNode, source: Source, level: number): Expression {
  if (level > maxLevels) throw badData(`the query has more than ${maxLevels} levels`);
  return readers[node.name]!(node, source, level + 1);
}

function expressionsIn(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (Object.hasOwn(readers, child.name)) found.push(child);
  }
  return found;
}

function only(node: SyntaxNode, source: Source, level: number): Expression {
  return read(expressionsIn(node)[0]!, source, level);
}

/** A sign before a number is an operator like others. */
function readNumberLiteral(node: SyntaxNode, source: Source): Expression {
  const value = readNumber(node, source);
  const [sign] = source.at(node);
  if (sign !== '-' && sign !== '+') return { type: 'number', value };
  return { type: 'unary', operator: sign, of: { type: 'number', value: sign === '-' ? -value : value } };
}

function readUnary(node: SyntaxNode, source: Source, level: number): Expression {
  const operator = source.at(node.getChild('UnaryOp')!) === '-' ? '-' : '+';
  return bound({ type: 'unary', operator, of: only(node, source, level) });
}

function readMatrix(node: SyntaxNode, source: Source, level: number): MatrixSelector {
  const selector = only(node, source, level);
  if (selector.type !== 'vector')
    throw faultAt(source, node.from, 'ranges only allowed for vector selectors');
  if (selector.offset !== 0) throw faultAt(source, node.from, 'no offset modifiers allowed before range');
  if (selector.at !== undefined) throw faultAt(source, node.from, 'no @ modifiers allowed before range');
  return { type: 'matrix', selector, range: positive(node.getChild('DurationExpr')!, source) };
}

function positive(node: SyntaxNode, source: Source): number {
  const ms = durationIn(node, source);
  if (!(ms > 0)) throw faultAt(source, node.from, 'duration must be greater than 0');
  return ms;
}

function readSubquery(node: SyntaxNode, source: Source, level: number): Subquery {
  const [range, step] = node.getChildren('DurationExpr');
  const of = only(node, source, level);
  // The brackets belong to the last operand alone, and no operator takes a range.
  if (of.type === 'binary') {
    throw faultAt(source, node.from, 'binary expression must contain only scalar and instant vector types');
  }
  if (of.type === 'unary') {
    throw faultAt(
      source,
      node.from,
      'unary expression only allowed on expressions of type scalar or instant vector',
    );
  }
  return {
    type: 'subquery',
    of,
    range: positive(range!, source),
    step: step === undefined ? undefined : positive(step, source),
    at: undefined,
    offset: 0,
  };
}

/**
 * What a time of its own can be said of. The grammar takes `-x offset 5m` for the offset of `-x`, and `a + on (b) c offset 5m` for
 * that of the sum; what is meant is the last selector before it.
 */
function shiftedBy(of: Expression): VectorSelector | Subquery | undefined {
  switch (of.type) {
    case 'unary':
      return shiftedBy(of.of);
    case 'binary':
      return shiftedBy(of.right);
    case 'matrix':
      return of.selector;
    case 'vector':
    case 'subquery':
      return of;
    default:
      return undefined;
  }
}

function readOffset(node: SyntaxNode, source: Source, level: number): Expression {
  const of = only(node, source, level);
  const shifted = shiftedBy(of);
  const what = 'an instant vector selector or range vector selector or a subquery';
  if (shifted === undefined) throw faultAt(source, node.from, `offset modifier must be preceded by ${what}`);
  if (shifted.offset !== 0) throw faultAt(source, node.from, 'offset may not be set multiple times');
  shifted.offset = durationIn(node.getChild('OffsetDurationExpr')!, source);
  return of;
}

function readAt(node: SyntaxNode, source: Source, level: number): Expression {
  const [child, literal] = expressionsIn(node);
  const of = read(child!, source, level);
  const shifted = shiftedBy(of);
  const what = 'an instant vector selector or range vector selector or a subquery';
  if (shifted === undefined) throw faultAt(source, node.from, `@ modifier must be preceded by ${what}`);
  if (shifted.at !== undefined)
    throw faultAt(source, node.from, '@ <timestamp> may not be set multiple times');
  const word = node.getChild('AtModifierPreprocessors');
  if (word !== null) {
    shifted.at = word.getChild('AtStart') === null ? 'end' : 'start';
    return of;
  }
  const seconds = readNumber(literal!, source);
  if (!(Math.abs(seconds) <= maxSeconds)) {
    throw faultAt(source, node.from, `timestamp out of bounds for @ modifier: ${seconds}`);
  }
  shifted.at = Math.round(seconds * 1000);
  return of;
}

/** The largest time of 64-bit milliseconds, about, in seconds. */
const maxSeconds = 9.223e15;

const operatorNodes = 'Add Sub Mul Div Mod Pow Atan2 Eql Neq Gtr Lss Gte Lte And Or Unless'.split(' ');

function readBinary(node: SyntaxNode, source: Source, level: number): Expression {
  const operatorNode = operatorNodes.map((name) => node.getChild(name)).find((found) => found !== null)!;
  const operator = source.at(operatorNode).toLowerCase() as BinaryOperator;
  const [leftNode, rightNode] = expressionsIn(node);
  if (node.getChild('FillModifier') !== null) notThere(node, source, 'the modifier fill');
  const clause = node.getChild('MatchingModifierClause');
  return bound({
    type: 'binary',
    operator,
    left: read(leftNode!, source, level),
    right: read(rightNode!, source, level),
    bool: node.getChild('BoolModifier') !== null,
    matching: clause === null ? undefined : readMatching(clause, operator, source),
  });
}

function readAggregate(node: SyntaxNode, source: Source, level: number): Aggregate {
  const word = source.at(node.getChild('AggregateOp')!).toLowerCase();
  const operator = aggregateOperators.find((known) => known === word);
  if (operator === undefined)
    throw faultAt(source, node.from, `unknown aggregation operator ${JSON.stringify(word)}`);
  const args = expressionsIn(node.getChild('FunctionCallBody')!);
  const wanted = hasParameter(operator) ? 2 : 1;
  if (args.length === 0) throw faultAt(source, node.from, 'no arguments for aggregate expression provided');
  if (args.length !== wanted) {
    const counts = `expected ${wanted}, got ${args.length}`;
    throw faultAt(
      source,
      node.from,
      `wrong number of arguments for aggregate expression provided, ${counts}`,
    );
  }
  const modifier = node.getChild('AggregateModifier');
  const of = read(args[wanted - 1]!, source, level);
  return {
    type: 'aggregate',
    operator,
    of,
    parameter: wanted === 2 ? read(args[0]!, source, level) : undefined,
    without: modifier?.getChild('Without') != null,
    labels: modifier === null ? [] : readLabels(modifier.getChild('GroupingLabels')!, source),
  };
}

function hasParameter(operator: AggregateOperator): boolean {
  return ['topk', 'bottomk', 'quantile', 'count_values'].includes(operator);
}

function readCall(node: SyntaxNode, source: Source, level: number): Expression {
  const name = source.at(node.getChild('FunctionIdentifier')!);
  const args = expressionsIn(node.getChild('FunctionCallBody')!);
  return { type: 'call', name, args: args.map((arg) => read(arg, source, level)) };
}
