import type { TimeRange } from '../../../domain/timestamp.ts';
import { type Aggregator, createAggregator } from '../../../query/aggregator.ts';
import type { AggregatePlan } from '../../../query/plan.ts';
import type { QueryMemory } from '../../../query/query-memory.ts';
import { addRows, rowsPlan } from '../../calculated/calculated-aggregate.ts';
import { formOf, readSlice } from './read-slice.ts';
import type { RunContext } from './run-context.ts';
import { offsetOf, type Slice, windowBits } from './slice.ts';
import { sliceRows } from './slice-rows.ts';

/**
 * Aggregates the values of few series here, where windows hold them: to take windows apart costs the server more than to send
 * them as they stand. Undefined where they are more than `fewValues`, or no windows have any.
 *
 * @param plan of stored parameters
 * @param narrow the same with times that are kept
 */
export async function aggregateFew(
  plan: AggregatePlan,
  narrow: AggregatePlan,
  context: RunContext & { readonly memory: QueryMemory; readonly fewValues: number },
): Promise<Aggregator | undefined> {
  const { fewValues, memory, pace } = context;
  if (fewValues === 0 || (await formOf(narrow, context)) !== 'windows') return undefined;
  const rows = rowsPlan(narrow);
  const slice = await readSlice(rows, narrow.from, narrow.to, context, fewValues);
  if (slice === undefined) return undefined;
  const aggregator = createAggregator(plan, timesOf(slice) ?? { first: 0n, last: 0n }, memory);
  await addRows(aggregator, sliceRows(slice, rows, pace), plan, pace);
  return aggregator;
}

/** The first and the last time of a slice; undefined where it has no values. */
function timesOf({ blocks, pieces }: Slice): TimeRange | undefined {
  let found: { first: bigint; last: bigint } | undefined;
  for (let piece = 0; piece < pieces.starts.length; piece++) {
    const block = blocks[pieces.blocks[piece]!]!;
    const base = BigInt(pieces.windows[piece]!) << windowBits;
    const first = base + BigInt(offsetOf(block, pieces.starts[piece]!));
    const last = base + BigInt(offsetOf(block, pieces.ends[piece]! - 1));
    if (found === undefined) found = { first, last };
    if (first < found.first) found.first = first;
    if (last > found.last) found.last = last;
  }
  return found;
}
