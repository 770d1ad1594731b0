import { aheadInsideOver } from './look-ahead.ts';
import { lookBackOf } from './look-back.ts';
import { mapChildren } from './map-node.ts';
import { expressionLimits } from './parse.ts';
import type { Expression, Node } from './syntax.ts';

/** Definitions that expressions may use by their names. */
export type DefinitionOf = (name: string) => Expression | undefined;

/** Why an expression cannot have its definitions put in place. */
export interface UnfoldingFlaw {
  /** Goes on after its place: `uses itself: a, b, a`. */
  readonly message: string;
}

/**
 * An expression with the definitions of its names, and those of theirs, put in place. Each definition that is put in place
 * counts as an operation, and with these all operations together are at most as many as one expression may have; so
 * may be the written parameters. So a chain of definitions, each of which uses the one before twice, ends early.
 *
 * @param id of the definition that the expression is of; undefined where it is of none
 */
export function unfold(
  expression: Expression,
  definitionOf: DefinitionOf,
  id?: string,
): Expression | UnfoldingFlaw {
  if (!expression.parameters.some((name) => definitionOf(name) !== undefined)) return expression;
  const parameters: string[] = [];
  const tags = new Set<string>();
  let operations = 0;
  let written = 0;
  const path: string[] = id === undefined ? [] : [id];

  const placeOf = (name: string): number => {
    const known = parameters.indexOf(name);
    if (known >= 0) return known;
    if (definitionOf(name) === undefined && ++written > expressionLimits.parameters)
      throw new Unfoldable(`has more than ${expressionLimits.parameters} parameters, ${inPlace}`);
    return parameters.push(name) - 1;
  };

  function count(more: number): void {
    operations += more;
    if (operations > expressionLimits.operations)
      throw new Unfoldable(`has more than ${expressionLimits.operations} operations, ${inPlace}`);
  }

  function wholeOf(used: Expression): Node {
    count(used.operations);
    for (const tag of used.tags) tags.add(tag);
    return placed(used.root, used.parameters);
  }

  function named(name: string): Node {
    const definition = definitionOf(name);
    if (definition === undefined) return { type: 'parameter', parameter: placeOf(name) };
    const begin = path.indexOf(name);
    if (begin >= 0) throw new Unfoldable(`uses itself: ${[...path.slice(begin), name].join(', ')}`);
    count(1);
    path.push(name);
    const node: Node = { type: 'defined', written: placeOf(name), definition: wholeOf(definition) };
    path.pop();
    return node;
  }

  /** @param names of the expression that the node is of */
  function placed(node: Node, names: readonly string[]): Node {
    switch (node.type) {
      case 'parameter':
        return named(names[node.parameter]!);
      case 'defined':
        throw new Error('what has its definitions in place is not unfolded again');
      default:
        return mapChildren(node, (child) => placed(child, names));
    }
  }

  try {
    const root = wholeOf(expression);
    const { text } = expression;
    const misplaced = aheadInsideOver(root);
    if (misplaced !== undefined) return { message: misplaced };
    return { text, root, parameters, tags: [...tags], operations, lookBack: lookBackOf(root) };
  } catch (error) {
    if (!(error instanceof Unfoldable)) throw error;
    return { message: error.message };
  }
}

export function cannotUnfold(unfolded: Expression | UnfoldingFlaw): unfolded is UnfoldingFlaw {
  return 'message' in unfolded;
}

/** The expression of a name alone. */
export function expressionOfName(name: string): Expression {
  const root: Node = { type: 'parameter', parameter: 0 };
  return { text: name, root, parameters: [name], tags: [], operations: 0, lookBack: undefined };
}

const inPlace = 'with the definitions that it uses put in place';

/** Goes no further than this file. */
class Unfoldable extends Error {}
