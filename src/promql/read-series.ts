import { Kind, type ParameterKey } from '../domain/parameter-data.ts';
import { choose } from './choose-rows.ts';
import { SeriesGatherer, type TakeSeries } from './gather-series.ts';
import { compileMatcher, type Matcher } from './matchers.ts';
import type { NeededSamples } from './needed-samples.ts';
import type { ReadsFrom } from './reads-from.ts';

/** The parameters that are read at once. */
const namesAtOnce = 200;

/** Gives the series that a selector finds with their samples, in no order: each as soon as it is whole. */
export async function readSeries(
  matchers: readonly Matcher[],
  { from, to, wantsEnds }: NeededSamples,
  source: ReadsFrom,
  take: TakeSeries,
): Promise<void> {
  const compiled = matchers.map((matcher) => compileMatcher(matcher));
  const { names, selection, metadata } = await choose(compiled, { from, to }, source);
  const { store, signal, countRows, budget, view } = source;
  for (let at = 0; at < names.length; at += namesAtOnce) {
    const some = names.slice(at, at + namesAtOnce);
    const numbers = some.map((name): ParameterKey => ({ kind: Kind.Numeric, name }));
    const events = wantsEnds ? some.map((name): ParameterKey => ({ kind: Kind.Event, name })) : [];
    const gathered = new SeriesGatherer({ names: some, matchers: compiled, metadata, view, budget });
    const plan = {
      ...selection,
      parameters: [...numbers, ...events],
      order: 'Asc' as const,
      limit: undefined,
      after: undefined,
      streamsApart: true as const,
    };
    for await (const block of store.run(plan, signal, countRows)) {
      if (gathered.isWholeBefore(block)) await gathered.giveTo(take);
      gathered.add(block);
      if (block.apart === 'whole') await gathered.giveTo(take);
      const turn = budget.work(block.count);
      if (turn !== undefined) await turn;
    }
    await gathered.giveTo(take);
  }
}
