import { Kind } from '../../../domain/parameter-data.ts';
import type { Aggregator } from '../../../query/aggregator.ts';
import { type Calculated, expressionsOf } from '../../../query/plan/calculated.ts';
import type { AggregatePlan } from '../../../query/plan/plan.ts';
import { wantedRuns } from '../parts/find-groups.ts';
import { runStart } from '../parts/part-index.ts';
import { groupsInside, SummedTest } from './apart-tests.ts';
import { looksBefore } from './bind-streams.ts';
import { Mark, markStreams, partsOfWindows, type ScanRead } from './mark-streams.ts';
import { type SummedGroup, type SummedGroups, SummedRows, summedColumnsOf } from './summed-rows.ts';

/**
 * The groups from whose kept columns a plan can calculate: to look up, read and take apart each group would cost several
 * times as much. Undefined where the plan wants anything but numbers, or too little of the parts.
 *
 * @param read its streams are in order of their numbers
 * @param aggregator of what is calculated
 */
export async function summedGroups(
  plan: AggregatePlan & { readonly calculated: Calculated },
  { bound, order, snapshot, parts, range, pace }: Omit<ScanRead, 'countRows'>,
  aggregator: Pick<Aggregator, 'tagsMatter'>,
): Promise<SummedGroups | undefined> {
  if (aggregator.tagsMatter || !goesByNumbers(plan)) return undefined;
  const streams = order.map((place) => bound.streams[place]!);
  const found = partsOfWindows(parts, range);
  const columns = await summedColumnsOf(found, bound.parameters, streams.length, pace);
  if (columns === undefined || found.length === 0) return undefined;
  const test = new SummedTest(streams.length, columns);
  const marks = await markStreams({ snapshot, range, pace }, streams, found, test);
  const isSummed = new Uint8Array(bound.count);
  for (let i = 0; i < order.length; i++) if (marks[i] === Mark.Apart) isSummed[order[i]!] = 1;
  const rowsOfParts = found.map((part, i) => {
    const rows = new SummedRows(bound.parameters.length);
    rows.begin(part, columns[i]!);
    return rows;
  });
  const seesBefore = looksBefore(plan, bound.firsts);

  /** The runs of a stream by their parts, the first one first: no two of them overlap. */
  function runsOf(stream: number): { readonly part: number; readonly run: number }[] {
    const runs: { readonly part: number; readonly run: number }[] = [];
    for (let part = 0; part < found.length; part++) {
      const { indexed, window } = found[part]!;
      const wanted = wantedRuns(indexed.kept.index, stream, window, range.parameters);
      for (const run of wanted) runs.push({ part, run });
    }
    const firstOf = ({ part, run }: (typeof runs)[number]) => {
      const { runs: all, groups } = found[part]!.indexed.kept.index;
      return groups.minOffsets[runStart(all, run)]!;
    };
    if (runs.length > 1)
      runs.sort((a, b) => found[a.part]!.window - found[b.part]!.window || firstOf(a) - firstOf(b));
    return runs;
  }

  return {
    of(place) {
      if (isSummed[place] === 0 || seesBefore(place)) return undefined;
      const groups: SummedGroup[] = [];
      for (const { part, run } of runsOf(bound.streams[place]!)) {
        const rows = rowsOfParts[part]!;
        const set = found[part]!.indexed.kept.index.runs.sets[run]!;
        const { from, to } = groupsInside(found[part]!, run);
        for (let group = from; group < to; group++) groups.push({ kind: 'summed', rows, set, group });
      }
      return groups;
    },
  };
}

function goesByNumbers({ parameters, calculated }: AggregatePlan & { readonly calculated: Calculated }) {
  const expressions = calculated.columns.flatMap(expressionsOf);
  return (
    parameters.every(({ kind }) => kind === Kind.Numeric) &&
    expressions.every(({ expression }) => expression.tags.length === 0)
  );
}
