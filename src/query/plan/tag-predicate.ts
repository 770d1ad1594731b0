import { RE2JS } from 're2js';
import type { TagFilter } from '../../domain/query.ts';
import { type TagSet, tagValue } from '../../domain/tags.ts';
import { PitwallError } from '../../errors.ts';
import { type PatternBudget, patternBudget, unbounded } from '../bounds/pattern-budget.ts';
import { compilePattern, maxProgramSize, type PatternTest, programBound } from './tag-pattern.ts';

/** Whether the rows of a tag set are wanted. */
export type TagPredicate = (set: TagSet) => boolean;

/**
 * The filters as one test, undefined where there are none. It is asked once per distinct tag set and remembers
 * what it said, as far as that is worth the memory. Throws `bad_pattern`, with the place of the fault; the test throws
 * `query_too_slow` when searching for patterns has taken more than its budget.
 */
export function compileTagFilters(
  filters: readonly TagFilter[],
  budget: PatternBudget = patternBudget(),
): TagPredicate | undefined {
  const tests = filters.map((filter, index) => compileFilter(filter, index, budget));
  if (tests.length === 0) return undefined;
  const known = new Map<string, boolean>();
  return (set) => {
    const answered = known.get(set.key);
    if (answered !== undefined) return answered;
    const answer = tests.every((test) => test(set));
    if (known.size < rememberedSets) known.set(set.key, answer);
    return answer;
  };
}

/** The tag sets whose outcome is remembered: tags with a new value on every row would make the map grow for ever. */
const rememberedSets = 10_000;

/** Throws what `compileTagFilters` would, and refuses filters with more patterns than are worth a request's time. */
export function checkTagFilters(filters: readonly TagFilter[]): void {
  let steps = 0;
  filters.forEach((filter, index) => {
    const searches = isPattern(filter);
    // A pattern takes a step at least, so compiling these is not worth it.
    if (searches && steps + filter.values.length > maxProgramSizes) throw tooManyPatterns(index);
    compileFilter(filter, index, unbounded);
    if (!searches) return;
    for (const value of filter.values) steps += programBound(String(value));
    if (steps > maxProgramSizes) throw tooManyPatterns(index);
  });
}

/** Whether texts are searched for patterns, and not only compared. */
export function hasPatterns(filters: readonly TagFilter[]): boolean {
  return filters.some(isPattern);
}

function isPattern({ operator }: TagFilter): boolean {
  return operator === 'Like' || operator === 'NotLike';
}

/** The largest sum of the sizes of a query's patterns: ten of the largest. */
const maxProgramSizes = 10 * maxProgramSize;

function tooManyPatterns(index: number): PitwallError {
  const message = `has more patterns than can be searched for: all take more than ${maxProgramSizes} steps a character`;
  return new PitwallError('bad_pattern', { errors: [{ path: `tagFilters[${index}].value`, message }] });
}

function compileFilter(
  { tag, operator, values }: TagFilter,
  index: number,
  budget: PatternBudget,
): TagPredicate {
  const wanted = operator === 'Equal' || operator === 'Like';
  const matches =
    operator === 'Equal' || operator === 'NotEqual'
      ? equalsAny(values)
      : likeAny(values, budget, (value, i) =>
          patternTest(value, `tagFilters[${index}].value`, i, values.length),
        );
  return (set) => {
    const value = tagValue(set, tag);
    return value === undefined ? !wanted : matches(value) === wanted;
  };
}

function equalsAny(values: readonly (string | number)[]): (text: string) => boolean {
  const texts = new Set(values.filter((value) => typeof value === 'string'));
  const numbers = new Set(values.filter((value) => typeof value === 'number'));
  return (text) => texts.has(text) || (numbers.size > 0 && isNumber(text) && numbers.has(Number(text)));
}

/**
 * Decimal notation, as a person or a program writes a number. Not a pattern: the engine's stack has no room for the places to
 * which one could go back in a text of millions of digits.
 */
function isNumber(text: string): boolean {
  const start = afterSign(text, 0);
  const point = afterDigits(text, start);
  const end = text[point] === '.' ? afterDigits(text, point + 1) : point;
  if (point === start && end <= point + 1) return false;
  if (end === text.length) return true;
  if (text[end] !== 'e' && text[end] !== 'E') return false;
  const exponent = afterSign(text, end + 1);
  return exponent < text.length && afterDigits(text, exponent) === text.length;
}

function afterSign(text: string, at: number): number {
  return text[at] === '+' || text[at] === '-' ? at + 1 : at;
}

function afterDigits(text: string, at: number): number {
  let end = at;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code < 0x30 || code > 0x39) break;
  }
  return end;
}

function likeAny(
  values: readonly (string | number)[],
  budget: PatternBudget,
  compile: (value: string | number, index: number) => PatternTest,
): (text: string) => boolean {
  const tests = values.map(compile);
  // The end of a text takes steps, too.
  return (text) => tests.some((test) => budget.search(test.steps * (text.length + 1), () => test(text)));
}

/** A number is searched for as it is written: its point is a point. */
function patternTest(value: string | number, path: string, index: number, count: number): PatternTest {
  const test = compilePattern(typeof value === 'number' ? RE2JS.quote(String(value)) : value);
  if (typeof test === 'function') return test;
  throw new PitwallError('bad_pattern', {
    errors: [
      {
        path: count === 1 ? path : `${path}[${index}]`,
        message: `is not a valid regular expression: ${test.message}, at position ${test.position}`,
      },
    ],
  });
}
