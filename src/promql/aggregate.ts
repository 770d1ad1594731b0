import type { Budget } from './budget.ts';
import { decimalText } from './decimal-text.ts';
import { type Grouping, groupLabels, type Labels, withLabel } from './labels.ts';
import { plainLabel } from './matchers.ts';
import { cannotEvaluate } from './query-error.ts';
import { compareNumbers, quantile } from './sums.ts';
import { bytesOf, emptySeries, type Grid, type Series } from './values.ts';

interface Group {
  readonly labels: Labels;
  readonly members: Series[];
}

async function groupsOf(all: readonly Series[], grouping: Grouping, budget: Budget): Promise<Group[]> {
  const groups = new Map<string, Group>();
  for (const series of all) {
    const labels = groupLabels(series.labels, grouping);
    const known = groups.get(labels.key);
    if (known === undefined) groups.set(labels.key, { labels, members: [series] });
    else known.members.push(series);
    const turn = budget.work(20);
    if (turn !== undefined) await turn;
  }
  return [...groups.values()];
}

/** The quantile of each group, of another number at each step. */
export async function quantiles(
  all: readonly Series[],
  grouping: Grouping,
  { grid, parameters, budget }: { grid: Grid; parameters: Float64Array; budget: Budget },
): Promise<Series[]> {
  const results: Series[] = [];
  for (const { labels, members } of await groupsOf(all, grouping, budget)) {
    budget.take(bytesOf(1, grid));
    const result = emptySeries(labels, grid.count);
    const values = new Float64Array(members.length);
    for (let i = 0; i < grid.count; i++) {
      let count = 0;
      for (const series of members) if (series.present[i] === 1) values[count++] = series.values[i]!;
      const turn = budget.work(members.length);
      if (turn !== undefined) await turn;
      if (count === 0) continue;
      result.present[i] = 1;
      result.values[i] = quantile(parameters[i]!, values.subarray(0, count));
    }
    results.push(result);
  }
  return results;
}

/** `topk` and `bottomk`: the series themselves, where they are among the first. Of equal values the earlier series is first. */
export async function pickSeries(
  all: readonly Series[],
  operator: 'topk' | 'bottomk',
  grouping: Grouping,
  { grid, parameters, budget }: { grid: Grid; parameters: Float64Array; budget: Budget },
): Promise<Series[]> {
  const counts = Array.from(parameters, countOf);
  budget.take(bytesOf(all.length, grid));
  const results: Series[] = [];
  for (const { members } of await groupsOf(all, grouping, budget)) {
    const picked = members.map(({ labels, values }) => ({
      labels,
      values,
      present: new Uint8Array(grid.count),
    }));
    let order: number[] = [];
    for (let i = 0; i < grid.count; i++) {
      const there = [...members.keys()].filter((place) => members[place]!.present[i] === 1);
      order = there.sort((a, b) => before(members[a]!.values[i]!, members[b]!.values[i]!, operator) || a - b);
      for (const place of order.slice(0, counts[i])) picked[place]!.present[i] = 1;
      const turn = budget.work(8 * members.length);
      if (turn !== undefined) await turn;
    }
    // The order of the last step is that of an instant query.
    results.push(
      ...order.map((place) => picked[place]!),
      ...picked.filter((_, place) => !order.includes(place)),
    );
  }
  return results.filter(({ present }) => present.includes(1));
}

/** NaN comes last. */
function before(a: number, b: number, operator: 'topk' | 'bottomk'): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return compareNumbers(b, a);
  return operator === 'topk' ? compareNumbers(b, a) : compareNumbers(a, b);
}

function countOf(given: number): number {
  if (!(Math.abs(given) <= 2 ** 63)) throw cannotEvaluate(`Scalar value ${given} overflows int64`);
  return Math.max(0, Math.trunc(given));
}

/** `count_values`: how many series have a value, for each value, which becomes the label `name`. */
export async function countValues(
  all: readonly Series[],
  name: string,
  grouping: Grouping,
  { grid, budget }: { grid: Grid; budget: Budget },
): Promise<Series[]> {
  if (!plainLabel.test(name)) throw cannotEvaluate(`invalid label name ${JSON.stringify(name)}`);
  const found = new Map<string, Series>();
  const own = { ...grouping, labels: grouping.without ? grouping.labels : [...grouping.labels, name] };
  for (const series of all) {
    for (let i = 0; i < grid.count; i++) {
      if (series.present[i] === 0) continue;
      const labels = groupLabels(withLabel(series.labels, name, decimalText(series.values[i]!)), own);
      let result = found.get(labels.key);
      if (result === undefined) {
        budget.take(bytesOf(1, grid));
        result = emptySeries(labels, grid.count);
        found.set(labels.key, result);
      }
      result.present[i] = 1;
      result.values[i]!++;
      const turn = budget.work(20);
      if (turn !== undefined) await turn;
    }
  }
  return [...found.values()];
}
