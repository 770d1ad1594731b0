import type { Aggregator } from '../../query/aggregator.ts';
import { calculatedKeys } from '../../query/plan/calculated.ts';
import type { AggregatePlan, ReadPlan } from '../../query/plan/plan.ts';
import type { Pace } from '../../turns/pace.ts';
import type { RowBlock } from '../row-block.ts';
import { pickRows } from './pick-rows.ts';
import { rowsOfStreams } from './split-streams.ts';

/** The rows, with their calculated columns, that a plan aggregates. */
export function rowsPlan({
  workspace,
  streamIds,
  topic,
  from,
  to,
  tagFilters,
  parameters,
  calculated,
}: AggregatePlan): ReadPlan {
  return {
    workspace,
    streamIds,
    topic,
    from,
    to,
    tagFilters,
    parameters,
    ...(calculated === undefined ? {} : { calculated }),
    order: 'Asc',
    limit: undefined,
    after: undefined,
  };
}

/** The plan of an aggregator of these rows. */
export function plainPlan(plan: AggregatePlan): AggregatePlan {
  const { calculated, ...rest } = plan;
  return { ...rest, parameters: calculatedKeys(plan) };
}

/** Adds the rows of a plan to its aggregator. */
export async function addRows(
  aggregator: Aggregator,
  blocks: AsyncIterable<RowBlock>,
  { groupBy }: AggregatePlan,
  pace: Pace,
): Promise<void> {
  const byStream = groupBy.some((tag) => tag === 'streamId' || tag === 'topic');
  for await (const block of blocks) {
    if (byStream) addByStream(aggregator, block);
    else aggregator.add(block);
    const turn = pace();
    if (turn !== undefined) await turn;
  }
}

function addByStream(aggregator: Aggregator, block: RowBlock): void {
  for (const { stream, rows } of rowsOfStreams(block)) {
    aggregator.openStream(stream);
    aggregator.add(rows === undefined ? block : pickRows(block, rows));
  }
}
