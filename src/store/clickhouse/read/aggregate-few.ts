import type { TimeRange } from '../../../domain/timestamp.ts';
import { type Aggregator, createAggregator } from '../../../query/aggregator.ts';
import type { QueryMemory } from '../../../query/bounds/query-memory.ts';
import type { AggregatePlan } from '../../../query/plan/plan.ts';
import { addRows, plainPlan, rowsPlan } from '../../calculated/calculated-aggregate.ts';
import { calculatedRows } from '../../calculated/calculated-rows.ts';
import { calculates } from '../../calculated/with-columns.ts';
import { formOf, readSlice } from './read-slice.ts';
import type { RunContext } from './run-context.ts';
import { offsetOf, type Slice, windowBits } from './slice.ts';
import { sliceRows } from './slice-rows.ts';
import { valueRangeOf } from './value-range.ts';

/**
 * Aggregates few values here: to tell them apart costs the server more than to send them. Undefined where they are more
 * than `fewValues`.
 *
 * @param plan of which no row depends on others
 * @param narrow the same with times that are kept
 */
export async function aggregateFew(
  plan: AggregatePlan,
  narrow: AggregatePlan,
  context: RunContext & { readonly memory: QueryMemory; readonly fewValues: number },
): Promise<Aggregator | undefined> {
  const { fewValues, memory, pace } = context;
  if (fewValues === 0) return undefined;
  if (formOf(narrow) === 'pieces' && !(await isKnownFew(narrow, context))) return undefined;
  const rows = rowsPlan(narrow);
  const slice = await readSlice(rows, narrow.from, narrow.to, context, fewValues);
  if (slice === undefined) return undefined;
  const aggregator = createAggregator(plainPlan(plan), timesOf(slice) ?? { first: 0n, last: 0n }, memory);
  const stored = () => sliceRows(slice, rows, pace);
  const blocks = calculates(rows) ? calculatedRows(rows, { run: stored, runStream: stored }) : stored();
  await addRows(aggregator, blocks, plan, pace);
  return aggregator;
}

/** The most streams of a read of few values. */
const fewStreams = 100;

/** Of many series a look at how many values they have costs less than to read them in vain. */
async function isKnownFew(
  plan: AggregatePlan,
  context: Pick<RunContext, 'clickhouse' | 'options'> & { readonly fewValues: number },
): Promise<boolean> {
  if (plan.streamIds === undefined || plan.streamIds.length > fewStreams) return false;
  return ((await valueRangeOf(plan, context))?.count ?? 0) <= context.fewValues;
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
