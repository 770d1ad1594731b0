import { createBudget } from './budget.ts';
import type { Labels } from './labels.ts';
import { type Listed, listLabels, listSeries, listValues } from './list-labels.ts';
import type { Matcher } from './matchers.ts';
import { parseQuery } from './parse.ts';
import type { QueryTerms } from './query.ts';
import { badData, QueryError } from './query-error.ts';
import type { ReadsFrom } from './reads-from.ts';
import { labelView } from './series-labels.ts';
import type { Expression } from './syntax.ts';

/** What there is in a range: series, names of labels, values of one. */
export interface ListingRequest {
  /** Texts of selectors. */
  readonly match: readonly string[];
  /** Milliseconds, both ends. */
  readonly from: number;
  readonly to: number;
}

export function seriesThere(request: ListingRequest, terms: QueryTerms): Promise<Labels[]> {
  if (request.match.length === 0) throw badData('no match[] parameter provided');
  const listed = read(request);
  return listSeries(listed, readsFrom(listed, terms));
}

export function labelsThere(request: ListingRequest, terms: QueryTerms): Promise<string[]> {
  const listed = read(request);
  return listLabels(listed, readsFrom(listed, terms));
}

export function valuesThere(label: string, request: ListingRequest, terms: QueryTerms): Promise<string[]> {
  const listed = read(request);
  return listValues(label, listed, readsFrom(listed, terms, label));
}

function read({ match, from, to }: ListingRequest): Listed {
  return { selectors: match.map(selector), from, to };
}

/** Of a selector alone: what there is has no offset and no time of its own. */
function selector(text: string): readonly Matcher[] {
  const expression = parsed(text);
  const isPlain = expression.type === 'vector' && expression.offset === 0 && expression.at === undefined;
  if (isPlain) return expression.matchers;
  throw invalid(`${JSON.stringify(text)} is no selector`);
}

function parsed(text: string): Expression {
  try {
    return parseQuery(text);
  } catch (error) {
    throw error instanceof QueryError ? invalid(error.message) : error;
  }
}

function invalid(message: string): Error {
  return badData(`invalid parameter "match[]": ${message}`);
}

function readsFrom({ selectors }: Listed, terms: QueryTerms, label?: string): ReadsFrom {
  const names = new Set(selectors.flat().map(({ name }) => name));
  if (label !== undefined) names.add(label);
  return {
    ...terms,
    view: labelView(names, terms.streamLabels),
    budget: createBudget(terms.memory, terms.pace),
  };
}
