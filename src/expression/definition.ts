import type { CalculatedDefinition } from '../domain/definition.ts';
import type { Document } from '../domain/document.ts';
import { isFlaw, parseExpression } from './parse.ts';
import type { Expression } from './syntax.ts';

/** A calculated parameter as it is kept. */
export interface KeptDefinition {
  readonly definition: CalculatedDefinition;
  readonly parsed: Expression;
}

const known = new WeakMap<Document, KeptDefinition | undefined>();

/** What a kept document of the kind `calculated` says; undefined for one that this version cannot read. */
export function definitionOf(item: Document): KeptDefinition | undefined {
  if (!known.has(item)) known.set(item, read(item));
  return known.get(item);
}

function read({ id, body }: Document): KeptDefinition | undefined {
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
