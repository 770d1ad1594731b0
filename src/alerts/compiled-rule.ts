import type { StoredRule } from '../domain/alert.ts';
import type { Document } from '../domain/document.ts';
import { definitionOf } from '../expression/definition.ts';
import { type Evaluator, evaluatorOf } from '../expression/evaluate.ts';
import { expressionKey } from '../expression/expression-key.ts';
import { isFlaw, parseExpression } from '../expression/parse.ts';
import type { Expression } from '../expression/syntax.ts';
import { cannotUnfold, unfold } from '../expression/unfold.ts';
import { memoryInTurn, type ValueMemory } from '../expression/value-memory.ts';
import type { Steps } from '../turns/steps.ts';
import { followAlong, judgedRows, type RuleEvaluator } from './along-rows.ts';
import type { OperandRows } from './operand-rows.ts';
import { followSteps } from './row-steps.ts';
import { wordingOf } from './rule-memory.ts';
import { followRows, type RuleChange, type RuleState } from './rule-state.ts';

/** A rule that is ready for rows. */
export interface CompiledRule extends StoredRule {
  /** Numeric parameters that its expressions name, also by calculated ones, each once. */
  readonly operands: readonly string[];
  /** Whether it has functions along rows, and so remembers something of them. */
  readonly looksBack: boolean;
  /**
   * Follows the rows of a stream from one state to the next, in steps. Changes are told to `onChange`, with the row in
   * `rows`; where that throws, no more is followed. Throws
   * `query_too_large` where it would have to remember too much.
   */
  follow(
    before: RuleState | undefined,
    rows: OperandRows,
    heardAt: number,
    onChange: (change: RuleChange) => void,
  ): Steps<RuleState | undefined>;
}

/** Evaluators of rules, which have their memory in turn: rules of the same wording have the same one. */
export interface RuleEvaluators {
  readonly condition: EvaluatorOf;
  readonly clear: EvaluatorOf;
}

type EvaluatorOf = (expression: Expression) => RuleEvaluator;

/** `condition` and `clear` of a rule are needed at the same time, so they have memory of their own. */
export function ruleEvaluators(): RuleEvaluators {
  return { condition: evaluatorsInTurn(), clear: evaluatorsInTurn() };
}

/** Evaluators that are remembered; others are made again for each rule. */
const mostRemembered = 10_000;

function evaluatorsInTurn(): EvaluatorOf {
  const memoryOf = memoryInTurn();
  const known = new Map<string, RuleEvaluator>();
  return (expression) => {
    const key = expressionKey(expression);
    const before = known.get(key);
    if (before !== undefined) return before;
    const made = evaluator(expression, memoryOf());
    if (known.size < mostRemembered) known.set(key, made);
    return made;
  };
}

/**
 * Throws a BadRule that says what is wrong with an expression.
 *
 * @param calculated the calculated parameters of the topic, which expressions may name
 */
export function compileRule(
  kept: StoredRule,
  evaluators: RuleEvaluators = ruleEvaluators(),
  calculated: readonly Document[] = [],
): CompiledRule {
  const { expression, clear, forNs } = kept.rule;
  const condition = placed('expression', expression, calculated);
  const end = clear === undefined ? undefined : placed('clear', clear, calculated);
  const operands = [...new Set([...condition.parameters, ...(end?.parameters ?? [])])];
  const isTrue = evaluators.condition(condition);
  const clears = end && evaluators.clear(end);
  const expressions = end === undefined ? [condition] : [condition, end];
  const looksBack = expressions.some(({ lookBack }) => lookBack !== undefined);
  const wording = looksBack ? wordingOf(expressions.map(expressionKey)) : '';
  const terms = { forNs: Number(forNs), hasClear: end !== undefined };
  return {
    ...kept,
    operands,
    looksBack,
    follow: (before, rows, heardAt, onChange) =>
      looksBack
        ? followAlong({ operands, isTrue, clears, wording, terms }, before, rows, heardAt, onChange)
        : followSteps(before, rows, ({ rows: some, from }, state) => {
            return followRows(terms, state, judgedRows(some, isTrue, clears), heardAt, (change) =>
              onChange({ ...change, row: from + change.row }),
            );
          }),
  };
}

/** An expression of a rule that cannot be evaluated. */
export class BadRule extends RangeError {
  readonly field: 'expression' | 'clear';

  constructor(field: BadRule['field'], message: string) {
    super(message);
    this.field = field;
  }
}

/** The expression of a field, with the definitions that the topic keeps put in place. */
function placed(field: BadRule['field'], text: string, calculated: readonly Document[]): Expression {
  const expression = parseExpression(text);
  if (isFlaw(expression))
    throw new BadRule(field, `at position ${expression.position}: ${expression.message}`);
  if (calculated.length === 0) return expression;
  const definitions = definitionsOf(calculated);
  const whole = unfold(expression, (name) => definitions.get(name));
  if (cannotUnfold(whole)) throw new BadRule(field, whole.message);
  if (whole.tags.length === 0) return whole;
  throw new BadRule(field, "uses 'over': a rule goes along all rows of a stream");
}

type Definitions = ReadonlyMap<string, Expression>;

/** A listing is the same array until something changes. */
const knownDefinitions = new WeakMap<readonly Document[], Definitions>();

function definitionsOf(items: readonly Document[]): Definitions {
  const known = knownDefinitions.get(items);
  if (known !== undefined) return known;
  const made = new Map<string, Expression>();
  for (const item of items) {
    const parsed = definitionOf(item)?.parsed;
    if (parsed !== undefined) made.set(item.id, parsed);
  }
  knownDefinitions.set(items, made);
  return made;
}

function evaluator(expression: Expression, memory: ValueMemory): RuleEvaluator {
  const own: Evaluator = evaluatorOf(expression, undefined, memory);
  const looksBack = expression.lookBack !== undefined;
  return {
    judge({ count, base, offsets, columns }) {
      const of = (parameter: number) => columns.get(expression.parameters[parameter]!);
      // A row in which no operand has a value has none, also where the expression is a number.
      if (!looksBack && !expression.parameters.some((name) => columns.has(name))) return undefined;
      return own.evaluate({ count, base, offsets, firstWanted: 0, column: of, tag: noTag });
    },
    save: own.save,
    restore(saved) {
      if (saved === undefined || !own.restore(saved)) own.beginStream();
    },
  };
}

/** Only `over` asks for tags. */
function noTag(): never {
  throw new Error('a rule goes along all rows of a stream');
}
