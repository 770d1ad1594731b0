import type { ResultBlock } from '../../domain/result.ts';
import { createAggregator, type Extent } from '../../query/aggregator.ts';
import type { AggregatePlan } from '../../query/plan.ts';
import type { QueryMemory } from '../../query/query-memory.ts';
import type { KernelColumn } from '../../query/runs.ts';
import type { BoundStreams } from './execute.ts';
import { paceReads } from './pace.ts';
import { readStream, type Snapshot, type WindowRows } from './snapshot.ts';
import { windowStart } from './windows.ts';

/** Runs an aggregating plan on a snapshot: stream by stream, so that what is in memory is one block and the groups. */
export async function* aggregate(
  plan: AggregatePlan,
  bound: BoundStreams,
  snapshot: Snapshot,
  memory: QueryMemory,
  signal: AbortSignal,
): AsyncGenerator<ResultBlock> {
  const extent = extentOf(plan, bound);
  if (extent === undefined) return;
  const pace = paceReads(signal);
  const aggregator = createAggregator(plan, extent, memory);
  const parameters = new Set(bound.parameters.filter((number) => number !== undefined));
  for (const [i, stream] of bound.streams.entries()) {
    aggregator.openStream(bound.keys[i]!);
    const range = { stream, from: plan.from, to: plan.to, parameters, descending: false, pace };
    for await (const rows of readStream(snapshot, range)) aggregator.add(kernelRows(rows, bound.parameters));
  }
  yield* aggregator.finish(pace);
}

function kernelRows({ window, group }: WindowRows, parameters: readonly (number | undefined)[]) {
  const { count, offsets, tagSets, tagIndex, columns } = group;
  return {
    count,
    base: windowStart(window),
    offsets,
    tagSets,
    tagIndex,
    columns: parameters.map((number): KernelColumn | undefined =>
      columns.find(({ parameter }) => parameter === number),
    ),
  };
}

/** From the first row of the selected streams to the last, as far as the plan wants them. */
function extentOf({ from, to }: AggregatePlan, { extents }: BoundStreams): Extent | undefined {
  let first: bigint | undefined;
  let last: bigint | undefined;
  for (const extent of extents) {
    if (first === undefined || extent.first < first) first = extent.first;
    if (last === undefined || extent.last > last) last = extent.last;
  }
  if (first === undefined || last === undefined) return undefined;
  return { first: first < from ? from : first, last: last > to ? to : last };
}
