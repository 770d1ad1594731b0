import type { Document } from './document.ts';

/**
 * The body of a kept document that may be long: a JSON array of the length of the second element as text, of what has to be
 * known of each document, and of the rest, which need not be read for that.
 */
export function documentBody(facts: object, rest: string): string {
  const text = JSON.stringify(facts);
  return `[${text.length},${text},${rest}]`;
}

const known = new WeakMap<Document, object>();

/** Returns the facts of a kept document, which are read once. */
export function factsOf<Facts extends object>(item: Document): Facts {
  let facts = known.get(item);
  if (facts === undefined) {
    const { start, end } = placeOfFacts(item);
    facts = JSON.parse(item.body.slice(start, end)) as object;
    known.set(item, facts);
  }
  return facts as Facts;
}

/** The JSON that was given as `rest`. */
export function restOf(item: Document): string {
  return item.body.slice(placeOfFacts(item).end + 1, -1);
}

function placeOfFacts({ body }: Document): { readonly start: number; readonly end: number } {
  const start = body.indexOf(',') + 1;
  return { start, end: start + Number(body.slice(1, start - 1)) };
}
