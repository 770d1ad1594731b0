import { arithmetic, comparisons } from './arithmetic.ts';
import type { Budget } from './budget.ts';
import {
  dropLabels,
  keepLabels,
  type Labels,
  labelOf,
  labelsText,
  nameLabel,
  withLabel,
  withoutName,
} from './labels.ts';
import { cannotEvaluate } from './query-error.ts';
import { type Binary, isComparison, type Matching, type SetOperator } from './syntax.ts';
import { bytesOf, emptySeries, type Grid, merged, type Series } from './values.ts';

type Operation = Pick<Binary, 'operator' | 'bool'>;

interface Terms {
  readonly grid: Grid;
  readonly budget: Budget;
}

/** What an operator makes of two values; undefined where a comparison leaves the first one out. */
type OfTwo = (a: number, b: number) => number | undefined;

function ofTwo({ operator, bool }: Operation): OfTwo {
  if (!isComparison(operator)) return arithmetic[operator as keyof typeof arithmetic];
  const compare = comparisons[operator];
  if (bool) return (a, b) => (compare(a, b) ? 1 : 0);
  return (a, b) => (compare(a, b) ? a : undefined);
}

/** Whether results are something else than what they came from. With `atan2` they keep their names, as in Prometheus 2.42. */
function losesName({ operator, bool }: Operation): boolean {
  return bool || !(isComparison(operator) || operator === 'atan2');
}

export function scalars(operation: Operation, a: Float64Array, b: Float64Array): Float64Array {
  const of = ofTwo(operation);
  return a.map((value, i) => of(value, b[i]!)!);
}

/** A vector with one number at each step. A comparison gives the values of the vector, on whichever side it stands. */
export async function withScalar(
  operation: Operation,
  all: readonly Series[],
  numbers: Float64Array,
  isLeft: boolean,
  { grid, budget }: Terms,
): Promise<Series[]> {
  const of = ofTwo(operation);
  const filters = isComparison(operation.operator) && !operation.bool;
  budget.take(bytesOf(all.length, grid));
  const results: Series[] = [];
  for (const { labels, values, present } of all) {
    const result = emptySeries(losesName(operation) ? withoutName(labels) : labels, grid.count);
    for (let i = 0; i < grid.count; i++) {
      if (present[i] === 0) continue;
      const value = isLeft ? of(values[i]!, numbers[i]!) : of(numbers[i]!, values[i]!);
      if (value === undefined) continue;
      result.present[i] = 1;
      result.values[i] = filters ? values[i]! : value;
    }
    results.push(result);
    const turn = budget.work(grid.count);
    if (turn !== undefined) await turn;
  }
  return merged(results);
}

const allLabels: Matching = { on: false, labels: [], many: 'none', include: [] };

function signatureOf(labels: Labels, { on, labels: names }: Matching): Labels {
  return on ? keepLabels(labels, names) : dropLabels(labels, [...names, nameLabel]);
}

function bySignature(all: readonly Series[], matching: Matching): Map<string, Series[]> {
  const groups = new Map<string, Series[]>();
  for (const series of all) {
    const { key } = signatureOf(series.labels, matching);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [series]);
    else group.push(series);
  }
  return groups;
}

/** Which steps have a value of any of the series. */
function anyPresent(all: readonly Series[], { count }: Grid): Uint8Array {
  const any = new Uint8Array(count);
  for (const { present } of all) for (let i = 0; i < count; i++) any[i]! |= present[i]!;
  return any;
}

/** Arithmetic and comparisons of two vectors. Throws where it is not plain which series belong together. */
export async function vectors(
  expression: Pick<Binary, 'operator' | 'bool' | 'matching'>,
  left: readonly Series[],
  right: readonly Series[],
  { grid, budget }: Terms,
): Promise<Series[]> {
  const { matching = allLabels } = expression;
  const [many, one] = matching.many === 'right' ? [right, left] : [left, right];
  const hasLeft = anyPresent(left, grid);
  const hasRight = anyPresent(right, grid);
  const ones = bySignature(one, matching);
  for (const group of ones.values()) {
    if (group.length > 1) checkUnique(group, (i) => hasLeft[i] === 1 && hasRight[i] === 1, matching);
  }
  const join = joiner(expression, matching, grid);
  const results: Series[] = [];
  for (const [key, group] of bySignature(many, matching)) {
    const partners = ones.get(key);
    if (partners === undefined) continue;
    const taken = new Uint8Array(grid.count);
    const ofGroup: Series[] = [];
    for (const series of group) {
      for (const partner of partners) {
        budget.take(bytesOf(1, grid));
        ofGroup.push(join(series, partner, taken));
        const turn = budget.work(grid.count);
        if (turn !== undefined) await turn;
      }
    }
    if (matching.many !== 'none') checkResults(ofGroup, grid);
    results.push(...ofGroup);
  }
  return merged(results);
}

/** Makes one series of two. `taken` says at which steps a series of the match group has a result already. */
function joiner(operation: Operation, matching: Matching, { count }: Grid) {
  const of = ofTwo(operation);
  const isTurned = matching.many === 'right';
  const isOneToOne = matching.many === 'none';
  return (series: Series, partner: Series, taken: Uint8Array): Series => {
    const labels = resultLabels(series.labels, partner.labels, operation, matching);
    const result = emptySeries(labels, count);
    for (let i = 0; i < count; i++) {
      if (series.present[i] === 0 || partner.present[i] === 0) continue;
      const [a, b] = [series.values[i]!, partner.values[i]!];
      const value = isTurned ? of(b, a) : of(a, b);
      if (value === undefined) continue;
      if (isOneToOne && taken[i] === 1) throw cannotEvaluate(manyToOne);
      taken[i] = 1;
      result.present[i] = 1;
      result.values[i] = value;
    }
    return result;
  };
}

const manyToOne =
  'multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)';

function checkUnique(group: readonly Series[], counts: (step: number) => boolean, matching: Matching): void {
  const { length } = group[0]!.values;
  for (let i = 0; i < length; i++) {
    if (!counts(i)) continue;
    const there = group.filter(({ present }) => present[i] === 1);
    if (there.length < 2) continue;
    const side = matching.many === 'right' ? 'left' : 'right';
    const matched = labelsText(signatureOf(there[0]!.labels, matching));
    const both = `[${labelsText(there[1]!.labels)}, ${labelsText(there[0]!.labels)}]`;
    throw cannotEvaluate(
      `found duplicate series for the match group ${matched} on the ${side} hand-side of the operation: ${both};` +
        'many-to-many matching not allowed: matching labels must be unique on one side',
    );
  }
}

/** Of one match group, results with the same labels must not be there at the same time. */
function checkResults(results: readonly Series[], { count }: Grid): void {
  const seen = new Map<string, Uint8Array>();
  for (const { labels, present } of results) {
    const before = seen.get(labels.key);
    if (before === undefined) {
      seen.set(labels.key, present.slice());
      continue;
    }
    for (let i = 0; i < count; i++) {
      if (present[i] === 1 && before[i] === 1) {
        throw cannotEvaluate('multiple matches for labels: grouping labels must ensure unique matches');
      }
      before[i]! |= present[i]!;
    }
  }
}

function resultLabels(many: Labels, one: Labels, operation: Operation, matching: Matching): Labels {
  let labels = losesName(operation) ? withoutName(many) : many;
  if (matching.many === 'none') {
    labels = matching.on ? keepLabels(labels, matching.labels) : dropLabels(labels, matching.labels);
  }
  for (const name of matching.include) labels = withLabel(labels, name, labelOf(one, name));
  return labels;
}

/** `and`, `or` and `unless`: series of the left side, and for `or` those of the right side that the left one has not. */
export async function sets(
  operator: SetOperator,
  left: readonly Series[],
  right: readonly Series[],
  matching: Matching = allLabels,
  { grid, budget }: Terms,
): Promise<Series[]> {
  const [kept, asked] = operator === 'or' ? [right, left] : [left, right];
  const wanted = operator === 'and' ? 1 : 0;
  const steps = new Map<string, Uint8Array>();
  for (const [key, group] of bySignature(asked, matching)) steps.set(key, anyPresent(group, grid));
  budget.take(bytesOf(kept.length, grid));
  const results: Series[] = operator === 'or' ? [...left] : [];
  for (const { labels, values, present } of kept) {
    const others = steps.get(signatureOf(labels, matching).key);
    if (others === undefined) {
      if (operator !== 'and') results.push({ labels, values, present });
      continue;
    }
    const left = present.map((there, i) => (there === 1 && others[i] === wanted ? 1 : 0));
    results.push({ labels, values, present: left });
    const turn = budget.work(grid.count);
    if (turn !== undefined) await turn;
  }
  return merged(results);
}
