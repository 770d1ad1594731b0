import type { Aggregator } from '../../../query/aggregator.ts';
import type { Calculated } from '../../../query/calculated.ts';
import type { Pace } from '../../../query/pace.ts';
import type { AggregatePlan } from '../../../query/plan.ts';
import type { CountRows } from '../../../query/running-queries.ts';
import { rowsPlan } from '../../calculated/calculated-aggregate.ts';
import { calculatedRows } from '../../calculated/calculated-rows.ts';
import type { BoundStreams } from './bind-streams.ts';
import { ofStream, rowSource } from './execute.ts';
import type { OpenSnapshot } from './snapshot.ts';

/** Adds the rows of one of a plan's streams, in order of time, with what is calculated from them. */
export async function addCalculated(
  plan: AggregatePlan & { readonly calculated: Calculated },
  bound: BoundStreams,
  place: number,
  aggregator: Aggregator,
  open: OpenSnapshot,
  pace: Pace,
  countRows: CountRows,
): Promise<void> {
  const rows = { ...rowsPlan(plan), calculated: plan.calculated };
  aggregator.openStream({ streamId: bound.ids[place] ?? '', topic: bound.topics[place] ?? '' });
  const source = rowSource(plan, ofStream(bound, place), open, pace, countRows);
  for await (const block of calculatedRows(rows, source)) aggregator.add(block);
}
