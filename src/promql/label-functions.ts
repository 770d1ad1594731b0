import { RE2JS, RE2JSSyntaxException } from 're2js';
import { patternBudget } from '../query/bounds/pattern-budget.ts';
import { compilePattern } from '../query/plan/tag-pattern.ts';
import type { Budget } from './budget.ts';
import { labelOf, withLabel } from './labels.ts';
import { plainLabel } from './matchers.ts';
import { cannotEvaluate } from './query-error.ts';
import { merged, type Series } from './values.ts';

/** `label_replace`: where the whole value of `source` matches, `target` becomes the template with what was found. */
export function replaceLabel(
  all: readonly Series[],
  [target = '', template = '', source = '', pattern = '']: readonly string[],
  budget: Budget,
): Series[] {
  const invalid = (detail: string) =>
    cannotEvaluate(`invalid regular expression in label_replace(): ${detail}`);
  const test = compilePattern(`^(?:${pattern})$`);
  if (typeof test !== 'function') throw invalid(test.message);
  checkName(target, 'destination', 'label_replace');
  const compiled = compile(`^(?:${pattern})$`, invalid);
  const searches = patternBudget();
  const values = new Map<string, string | undefined>();
  const replaced = (text: string): string | undefined => {
    if (values.has(text)) return values.get(text);
    const matcher = compiled.matcher(text);
    // With groups the engine keeps what it found in each of its states.
    const steps = test.steps * (text.length + 1) * (1 + matcher.groupCount());
    const isMatch = searches.search(steps, () => matcher.find());
    const value = isMatch ? filled(template, matcher, compiled.namedGroups()) : undefined;
    values.set(text, value);
    return value;
  };
  const changed = all.map((series) => {
    const value = replaced(labelOf(series.labels, source));
    return value === undefined ? series : relabelled(series, target, value, budget);
  });
  return merged(changed);
}

function compile(pattern: string, invalid: (detail: string) => Error): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) throw invalid(error.message);
    throw error;
  }
}

/** The longest value that a label may get. */
const maxValueLength = 1 << 16;

/** A template in Go's form: `$1`, `${1}`, `$name`, `${name}`, `$$`; what is not there is nothing, what is no name stays. Names have letters of any script. */
function filled(
  template: string,
  matcher: ReturnType<RE2JS['matcher']>,
  names: Readonly<Record<string, number>>,
): string {
  let length = 0;
  return template.replace(
    /\$(?:(\$)|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu,
    (_all, dollar?: string, braced?: string, bare?: string) => {
      if (dollar !== undefined) return '$';
      const name = (braced ?? bare)!;
      const group = /^(?:0|[1-9]\d*)$/.test(name) ? Number(name) : names[name];
      const text = group === undefined || group > matcher.groupCount() ? '' : (matcher.group(group) ?? '');
      length += text.length;
      if (length > maxValueLength) throw cannotEvaluate('label_replace() makes a value that is too long');
      return text;
    },
  );
}

/** A series whose label has another value. */
function relabelled(series: Series, target: string, value: string, budget: Budget): Series {
  if (value.length > maxValueLength)
    throw cannotEvaluate(`a label would have more than ${maxValueLength} characters`);
  const labels = withLabel(series.labels, target, value);
  budget.take(4 * labels.key.length);
  return { ...series, labels };
}

/** `label_join`: `target` becomes the values of other labels, with a separator between them. */
export function joinLabels(
  all: readonly Series[],
  [target = '', separator = '', ...sources]: readonly string[],
  budget: Budget,
): Series[] {
  checkName(target, 'destination', 'label_join');
  for (const source of sources) checkName(source, 'source', 'label_join');
  const changed = all.map((series) => {
    const value = sources.map((source) => labelOf(series.labels, source)).join(separator);
    return relabelled(series, target, value, budget);
  });
  return merged(changed);
}

function checkName(name: string, what: string, where: string): void {
  if (!plainLabel.test(name)) throw cannotEvaluate(`invalid ${what} label name in ${where}(): ${name}`);
}
