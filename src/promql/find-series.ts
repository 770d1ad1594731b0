import { isPresent, Kind, type ParameterKey } from '../domain/parameter-data.ts';
import type { ResultBlock } from '../domain/result.ts';
import { compareText, type TagPair, tagSet } from '../domain/tags.ts';
import type { AggregatePlan, Selection } from '../query/plan/plan.ts';
import { choose } from './choose-rows.ts';
import type { Labels } from './labels.ts';
import { type CompiledMatcher, compileMatcher, type Matcher, matchesAll } from './matchers.ts';
import { readSeries } from './read-series.ts';
import type { ReadsFrom } from './reads-from.ts';
import { named, pairsOf } from './series-labels.ts';

/** The parameters that are counted at once. */
const namesAtOnce = 200;

/** What is made for a series, in bytes. */
const seriesBytes = 1000;

/** Tags by which no rows can be grouped: these words mean the topic and the stream there. */
const groupWords = ['topic', 'streamId'];

/** The series that a selector finds in a range (ms, both ends), by counting: samples are not looked at. */
export async function findSeries(
  matchers: readonly Matcher[],
  from: number,
  to: number,
  source: ReadsFrom,
): Promise<Labels[]> {
  const compiled = matchers.map((matcher) => compileMatcher(matcher));
  const chosen = await choose(compiled, { from, to }, source);
  const { selection, names, metadata } = chosen;
  const tags = (await source.store.tagNames(selection, source.signal, source.countRows)).map(
    ({ name }) => name,
  );
  if (tags.some((tag) => groupWords.includes(tag))) {
    const all: Labels[] = [];
    await readSeries(matchers, { from, to, wantsEnds: false }, source, ({ labels }) => {
      source.budget.take(seriesBytes);
      all.push(labels);
      return undefined;
    });
    return all.sort((a, b) => compareText(a.key, b.key));
  }
  const found: Labels[] = [];
  for (let at = 0; at < names.length; at += namesAtOnce) {
    const some = names.slice(at, at + namesAtOnce);
    const plan = countPlan(selection, some, [...groupWords, ...tags]);
    for await (const block of source.store.aggregate(plan, source.signal, source.countRows)) {
      for (let row = 0; row < block.count; row++) {
        addRow(block, row, { names: some, tags, compiled, metadata, source, found });
        const turn = source.budget.work(10 * some.length);
        if (turn !== undefined) await turn;
      }
    }
  }
  return found;
}

function countPlan(
  selection: Selection,
  names: readonly string[],
  groupBy: readonly string[],
): AggregatePlan {
  return {
    ...selection,
    hasFrom: true,
    hasTo: true,
    parameters: names.map((name): ParameterKey => ({ kind: Kind.Numeric, name })),
    columns: names.map((name, parameter) => ({
      parameter,
      aggregation: 'Count',
      name: `count(${name})`,
      kind: Kind.Numeric,
    })),
    groupBy,
    buckets: undefined,
    order: 'Asc',
    limit: undefined,
    after: undefined,
  };
}

interface Finding {
  readonly names: readonly string[];
  readonly tags: readonly string[];
  readonly compiled: readonly CompiledMatcher[];
  readonly metadata: Awaited<ReturnType<typeof choose>>['metadata'];
  readonly source: ReadsFrom;
  readonly found: Labels[];
}

/** Adds the series of a group: the parameters of which there is a value. */
function addRow(block: ResultBlock, row: number, finding: Finding): void {
  const { names, tags, compiled, metadata, source, found } = finding;
  const text = (column: number): string | undefined => {
    const { texts, index } = block.tags[column]!;
    return texts[index?.[row] ?? 0];
  };
  const key = { topic: text(0)!, streamId: text(1)! };
  const own = tags.flatMap((tag, i): TagPair[] => {
    const value = text(groupWords.length + i);
    return value === undefined ? [] : [[tag, value]];
  });
  const pairs = pairsOf(key, tagSet(own), source.view, metadata(key));
  names.forEach((name, i) => {
    const column = block.columns[i];
    if (
      column === undefined ||
      !('values' in column) ||
      !isPresent(column.present, row) ||
      column.values[row] === 0
    )
      return;
    const labels = named(pairs, name);
    if (!matchesAll(compiled, labels)) return;
    source.budget.take(seriesBytes);
    found.push(labels);
  });
}
