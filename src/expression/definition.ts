import type { CalculatedDefinition } from '../domain/definition.ts';
import type { Document } from '../domain/document.ts';
import { isFlaw, parseExpression } from './parse.ts';
import type { Expression } from './syntax.ts';

/** A calculated parameter that a topic keeps, and its expression as a tree. */
export interface TopicDefinition {
  readonly definition: CalculatedDefinition;
  readonly parsed: Expression;
}

const known = new WeakMap<Document, TopicDefinition | undefined>();

/** Reads a document of the kind `calculated`; undefined for one that this version cannot read. */
export function definitionOf(item: Document): TopicDefinition | undefined {
  if (!known.has(item)) known.set(item, read(item));
  return known.get(item);
}

function read({ id, body }: Document): TopicDefinition | undefined {
  try {
    const definition = { ...(JSON.parse(body) as Omit<CalculatedDefinition, 'id'>), id };
    const parsed = parseExpression(definition.expression);
    return isFlaw(parsed) ? undefined : { definition, parsed };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The body of the document that keeps it. */
export function bodyOf({ id: _, ...rest }: CalculatedDefinition): string {
  return JSON.stringify(rest);
}
