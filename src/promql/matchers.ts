import { type PatternBudget, patternBudget } from '../query/bounds/pattern-budget.ts';
import { compilePattern } from '../query/plan/tag-pattern.ts';
import type { Labels } from './labels.ts';
import { badData } from './query-error.ts';

export const matchOperators = ['=', '!=', '=~', '!~'] as const;
export type MatchOperator = (typeof matchOperators)[number];

/** A condition on one label; a series without the label has the value ''. */
export interface Matcher {
  readonly name: string;
  readonly operator: MatchOperator;
  readonly value: string;
}

export interface CompiledMatcher extends Matcher {
  readonly matches: (text: string) => boolean;
  /** The only texts that match, where they can be told. */
  readonly texts: readonly string[] | undefined;
}

/** A label's name without `"`, as a query may have it. */
export const plainLabel = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
/** A metric's name without `"`. */
export const plainMetric = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/**
 * Patterns are of RE2 and match the whole text. Throws `bad_data`; the test throws `query_too_slow` where searching takes too
 * long.
 */
export function compileMatcher(matcher: Matcher, budget: PatternBudget = patternBudget()): CompiledMatcher {
  const { operator, value } = matcher;
  if (operator === '=') return { ...matcher, matches: (text) => text === value, texts: [value] };
  if (operator === '!=') return { ...matcher, matches: (text) => text !== value, texts: undefined };
  const { test, texts } = compileWhole(value, budget);
  return operator === '=~'
    ? { ...matcher, matches: test, texts }
    : { ...matcher, matches: (text) => !test(text), texts: undefined };
}

interface WholePattern {
  readonly test: (text: string) => boolean;
  readonly texts: readonly string[] | undefined;
}

function compileWhole(pattern: string, budget: PatternBudget): WholePattern {
  const texts = alternatives(pattern);
  if (texts !== undefined) {
    const wanted = new Set(texts);
    return { test: (text) => wanted.has(text), texts: [...wanted] };
  }
  if (pattern === '.*') return { test: (text) => !text.includes('\n'), texts: undefined };
  if (pattern === '.+') return { test: (text) => text !== '' && !text.includes('\n'), texts: undefined };
  const compiled = compilePattern(`^(?:${pattern})$`);
  if (typeof compiled !== 'function') {
    throw badData(`the regular expression ${JSON.stringify(pattern)} ${reasonOf(compiled.message)}`);
  }
  const known = new Map<string, boolean>();
  const test = (text: string): boolean => {
    const answered = known.get(text);
    if (answered !== undefined) return answered;
    const answer = budget.search(compiled.steps * (text.length + 1), () => compiled(text));
    if (known.size < rememberedTexts) known.set(text, answer);
    return answer;
  };
  return { test, texts: undefined };
}

const rememberedTexts = 10_000;

function reasonOf(message: string): string {
  return /^(?:has|repeats) /.test(message) ? message : `is not valid: ${message}`;
}

/** The texts of a pattern that is nothing but texts, as dashboards make it of what is chosen: `a|b\.c`. */
function alternatives(pattern: string): string[] | undefined {
  const texts = [''];
  for (let at = 0; at < pattern.length; at++) {
    let unit = pattern[at]!;
    if (unit === '|') {
      texts.push('');
      continue;
    }
    if (unit === '\\') {
      unit = pattern[++at] ?? '';
      if (!/^[^a-zA-Z0-9\s]$/.test(unit)) return undefined;
    } else if (/[.+*?()[\]{}^$]/.test(unit)) return undefined;
    texts[texts.length - 1] += unit;
  }
  return texts;
}

/** Whether all conditions hold; a label that is not there is ''. */
export function matchesAll(matchers: readonly CompiledMatcher[], { pairs }: Labels): boolean {
  return matchers.every(({ name, matches }) => matches(pairs.find(([own]) => own === name)?.[1] ?? ''));
}
