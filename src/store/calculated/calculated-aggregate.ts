import type { Aggregator } from '../../query/aggregator.ts';
import { calculatedKeys } from '../../query/calculated.ts';
import type { AggregatePlan, ReadPlan } from '../../query/plan.ts';
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

/**
 * Adds rows of a plan to an aggregator.
 *
 * @param byStream whether groups are told apart by streams
 */
export function addBlock(aggregator: Aggregator, block: RowBlock, byStream: boolean): void {
  if (!byStream) {
    aggregator.add(block);
    return;
  }
  for (const { stream, rows } of rowsOfStreams(block)) {
    aggregator.openStream(stream);
    aggregator.add(rows === undefined ? block : pickRows(block, rows));
  }
}
