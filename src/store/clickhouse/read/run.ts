import { PitwallError } from '../../../errors.ts';
import type { ReadPlan } from '../../../query/plan/plan.ts';
import { calculatedRows } from '../../calculated/calculated-rows.ts';
import type { RowSource } from '../../calculated/row-source.ts';
import { calculates } from '../../calculated/with-columns.ts';
import { sliceBlock } from '../../slice-block.ts';
import type { RowBlock } from '../../store.ts';
import { readSlice } from './read-slice.ts';
import type { RunContext } from './run-context.ts';
import { narrowed } from './selection-sql.ts';
import type { Slice } from './slice.ts';
import { sliceRows } from './slice-rows.ts';
import { valueRangeOf } from './value-range.ts';

/**
 * Raw rows, read slice of time by slice of time. A slice is one statement whose values come as they stand in the
 * table, without any sorting by ClickHouse, and are sorted and put together to rows here. How long slices are follows
 * from how many values the ones before had, so that what is in memory is bounded, and a limit reads little more than
 * what it gives. (Figures: docs/decisions/009-clickhouse-store.md.)
 */

/** Values of a slice that is just right: some 10 MB, and worth its statement. */
const usualValues = 262_144;
/** The most values of a slice: one with more is given up and cut, unless it is a single time. */
const maxValues = 4 * usualValues;
/** The most values of a single time; more is refused. */
const maxValuesOfTime = 16 * usualValues;

export function run(plan: ReadPlan, context: RunContext): AsyncGenerator<RowBlock> {
  return calculates(plan) ? calculatedRows(plan, rowSource(context)) : storedRows(plan, context);
}

/** The rows that a plan calculates from. Each read sees what is there at its time. */
function rowSource(context: RunContext): RowSource {
  return {
    run: (plan) => storedRows(plan, context),
    runStream: (plan, { streamId, topic }) => storedRows({ ...plan, streamIds: [streamId], topic }, context),
    // Each takes some statements.
    fewStreams: 16,
  };
}

/** The rows of a plan that calculates nothing. */
async function* storedRows(asked: ReadPlan, context: RunContext): AsyncGenerator<RowBlock> {
  const plan = narrowed(behindCursor(asked), context.kept);
  if (plan === undefined || plan.parameters.length === 0) return;
  let left = plan.limit ?? Number.POSITIVE_INFINITY;
  for await (const slice of slicesOf(plan, context)) {
    for await (const block of sliceRows(slice, plan, context.pace)) {
      yield block.count > left ? sliceBlock(block, 0, left) : block;
      left -= block.count;
      if (left <= 0) return;
    }
  }
}

/** Times before the cursor's are not wanted; of its own time some rows may be. */
function behindCursor(plan: ReadPlan): ReadPlan {
  const { after, from, to, order } = plan;
  if (after === undefined) return plan;
  if (order === 'Desc') return after.timestamp < to ? { ...plan, to: after.timestamp } : plan;
  return after.timestamp > from ? { ...plan, from: after.timestamp } : plan;
}

/** Slices in the plan's order that hold all rows of it. */
async function* slicesOf(plan: ReadPlan, context: RunContext): AsyncGenerator<Slice> {
  const page = plan.limit ?? plan.pageRows;
  if (page === undefined) {
    // Most reads are small: then one statement is all.
    const whole = await readSlice(plan, plan.from, plan.to, context, 2 * usualValues);
    if (whole !== undefined) {
      if (whole.values > 0) yield whole;
      return;
    }
  }
  const range = await valueRangeOf(plan, context);
  if (range === undefined) return;
  const wanted = Math.min(usualValues, Math.max(2048, 2 * (page ?? usualValues) * plan.parameters.length));
  const { first, last, count } = range;
  let width = scaled(last - first + 1n, wanted / Math.max(wanted, count));
  const descending = plan.order === 'Desc';
  for (let from = first, to = last; from <= to; ) {
    // Slices that hold nothing take time, too.
    const turn = context.pace();
    if (turn !== undefined) await turn;
    const span = width > to - from ? to - from + 1n : width;
    const [begin, end] = descending ? [to - span + 1n, to] : [from, from + span - 1n];
    const slice = await readSlice(plan, begin, end, context, span === 1n ? maxValuesOfTime : maxValues);
    if (slice === undefined) {
      if (span === 1n) throw tooManyAtOnce(begin);
      width = scaled(span, 1 / 8);
      continue;
    }
    if (slice.values > 0) yield slice;
    if (descending) to = begin - 1n;
    else from = end + 1n;
    width = scaled(span, Math.min(8, Math.max(1 / 8, usualValues / Math.max(1, slice.values))));
  }
}

function scaled(span: bigint, factor: number): bigint {
  const bits = 1_000_000;
  const width = (span * BigInt(Math.ceil(factor * bits))) / BigInt(bits);
  return width > 0n ? width : 1n;
}

function tooManyAtOnce(time: bigint): PitwallError {
  return new PitwallError('query_too_large', {
    detail: `there are more than ${maxValuesOfTime} values at the time ${time}; ask for fewer streams or parameters`,
  });
}
