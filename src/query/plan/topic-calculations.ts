import type { Document } from '../../domain/document.ts';
import { Kind } from '../../domain/parameter-data.ts';
import { foldTopic } from '../../domain/topic.ts';
import { PitwallError } from '../../errors.ts';
import type {
  CalculatingQuery,
  RequestedCalculation,
  TopicExpression,
} from '../../expression/calculation.ts';
import { definitionOf } from '../../expression/definition.ts';
import { expressionKey } from '../../expression/expression-key.ts';
import type { Expression } from '../../expression/syntax.ts';
import { cannotUnfold, expressionOfName, unfold } from '../../expression/unfold.ts';

/** The most different definitions of one column; a query of more has to name its topic. */
const maxVariants = 32;
/** The most topics that define a column: each has to be looked at. */
const maxTopics = 500;

/**
 * A query with the definitions that its topics keep put in place: of the numeric parameters that it asks for and of those that
 * its expressions name. Throws `bad_expression` where an expression becomes too long by that, and `query_too_large`
 * where topics define a name in too many ways.
 *
 * @param items the calculated parameters of the query's topic, or, where it names none, of all topics
 */
export function withTopicCalculations(query: CalculatingQuery, items: readonly Document[]): CalculatingQuery {
  if (items.length === 0) return query;
  const kept = definitionsOf(items);
  const parameters = query.parameters.filter(
    ({ kind, name }) => kind !== Kind.Numeric || !kept.names.has(name),
  );
  const own = (query.calculated ?? []).map((calculation) => kept.placed(calculation, query.topic));
  if (parameters.length === query.parameters.length && own.every((one, i) => one === query.calculated![i]))
    return query;
  const asked = query.parameters
    .filter((one) => !parameters.includes(one))
    .map(({ name, aggregation }) =>
      kept.placed({ name, aggregation, expression: kept.expressionOfName(name) }, query.topic),
    );
  const { calculated: _, ...rest } = query;
  return { ...rest, parameters, calculated: [...asked, ...own] };
}

interface TopicDefinitions {
  /** Names that some topic defines, each with its topics, folded. */
  readonly names: ReadonlyMap<string, ReadonlySet<string>>;
  /** Returns the expression of a name, the same one each time. */
  expressionOfName(name: string): Expression;
  /** A calculation with definitions put in place; itself where it uses none. */
  placed(calculation: RequestedCalculation, topic: string | undefined): RequestedCalculation;
}

/** A listing is the same array until something changes. */
const known = new WeakMap<readonly Document[], TopicDefinitions>();

function definitionsOf(items: readonly Document[]): TopicDefinitions {
  let kept = known.get(items);
  if (kept === undefined) {
    kept = readDefinitions(items);
    known.set(items, kept);
  }
  return kept;
}

/** How a calculation is made in one topic, or in several. */
type Placed = Pick<RequestedCalculation, 'expression' | 'perTopic'>;

/** Definitions are read when they are first used: there may be thousands. */
function readDefinitions(items: readonly Document[]): TopicDefinitions {
  /** By folded topic, then name. */
  const topics = new Map<string, Map<string, Document>>();
  const names = new Map<string, Set<string>>();
  for (const item of items) {
    if (item.topic === undefined) continue;
    const topic = foldTopic(item.topic);
    topics.set(topic, (topics.get(topic) ?? new Map<string, Document>()).set(item.id, item));
    names.set(item.id, (names.get(item.id) ?? new Set<string>()).add(topic));
  }
  const ofNames = new Map<string, Expression>();
  const placements = new WeakMap<Expression, Map<string | undefined, Placed>>();

  function inTopic(expression: Expression, topic: string): Expression {
    const ofTopic = topics.get(topic);
    const unfolded = unfold(expression, (name) => {
      const item = ofTopic?.get(name);
      return item && definitionOf(item)?.parsed;
    });
    if (!cannotUnfold(unfolded)) return unfolded;
    const detail = `the expression ${excerpt(expression)} ${unfolded.message}`;
    throw new PitwallError('bad_expression', { detail });
  }

  function perTopic(expression: Expression): TopicExpression[] {
    const using = new Set(expression.parameters.flatMap((name) => [...(names.get(name) ?? [])]));
    const variants = new Map<string, { readonly topics: string[]; readonly expression: Expression }>();
    if (using.size > maxTopics) throw tooMany('topics', maxTopics, expression);
    for (const topic of using) {
      const own = inTopic(expression, topic);
      const key = expressionKey(own);
      const same = variants.get(key);
      if (same !== undefined) same.topics.push(topic);
      else variants.set(key, { topics: [topic], expression: own });
      if (variants.size > maxVariants) throw tooMany('different definitions', maxVariants, expression);
    }
    return [...variants.values()];
  }

  return {
    names,
    expressionOfName(name) {
      const expression = ofNames.get(name) ?? expressionOfName(name);
      ofNames.set(name, expression);
      return expression;
    },
    placed(calculation, topic) {
      const { expression } = calculation;
      if (!expression.parameters.some((name) => names.has(name))) return calculation;
      const ofTopics = placements.get(expression) ?? new Map<string | undefined, Placed>();
      placements.set(expression, ofTopics);
      const folded = topic === undefined ? undefined : foldTopic(topic);
      let placed = ofTopics.get(folded);
      if (placed === undefined) {
        placed =
          folded === undefined
            ? { expression, perTopic: perTopic(expression) }
            : { expression: inTopic(expression, folded) };
        ofTopics.set(folded, placed);
      }
      return { ...calculation, ...placed };
    },
  };
}

function excerpt({ text }: Expression): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

function tooMany(what: string, most: number, expression: Expression): PitwallError {
  const detail = `more than ${most} ${what} are kept for names in ${excerpt(expression)}; name a topic`;
  return new PitwallError('query_too_large', { detail });
}
