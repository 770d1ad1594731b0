import { compareStreamKeys } from '../../domain/stream.ts';
import { compareTagSets, tagSetOfKey } from '../../domain/tags.ts';
import { minTimestamp } from '../../domain/timestamp.ts';
import { PitwallError } from '../../errors.ts';
import { valueRoom } from '../../expression/value-room.ts';
import type { Calculated, PlacedExpression } from '../../query/calculated.ts';
import type { Position } from '../../query/cursor.ts';
import type { ReadPlan } from '../../query/plan.ts';
import { compileTagFilters } from '../../query/tag-predicate.ts';
import type { RowBlock } from '../row-block.ts';
import type { StreamKey } from '../store.ts';
import { type ColumnEvaluator, columnEvaluator, lentColumn, wholeColumn } from './column-evaluator.ts';
import { expressionOfTopic } from './column-of-topic.ts';
import { type LentEvaluators, maxRemembered } from './lent-evaluators.ts';
import type { RowSource } from './row-source.ts';
import { type RowsBefore, rowsBefore } from './rows-before.ts';
import { rowsOfStreams } from './split-streams.ts';
import { turnedRound } from './turn-round.ts';
import { beginOf } from './warm-up.ts';
import { type CalculatingPlan, withColumns } from './with-columns.ts';

/** Streams of one read that remember something at the same time. */
const maxStreams = 10_000;

/**
 * Rows of a plan with columns that depend on the rows before. All rows of the streams are gone through in order of time
 * from `from` on: tags, the cursor and the order choose among them after that.
 */
export function rowsAlongStreams(
  plan: CalculatingPlan,
  source: RowSource,
  lent?: LentEvaluators,
): AsyncIterable<RowBlock> {
  const rows = ascendingRows(plan, source, plan.order === 'Desc' ? undefined : lent);
  return plan.order === 'Desc' ? turnedRound(rows, plan.limit) : rows;
}

async function* ascendingRows(
  plan: CalculatingPlan,
  source: RowSource,
  lent: LentEvaluators | undefined,
): AsyncGenerator<RowBlock> {
  const { calculated, tagFilters, after, ...rest } = plan;
  const descending = plan.order === 'Desc';
  const to = descending && after !== undefined && after.timestamp < plan.to ? after.timestamp : plan.to;
  if (plan.from > to) return;
  const stored: ReadPlan = { ...rest, to, tagFilters: [], order: 'Asc', limit: undefined, after: undefined };
  const isWanted = rowFilter(plan);
  const evaluators = new Map<string, readonly ColumnEvaluator[]>();
  lent?.room.clear();
  const room = lent?.room ?? valueRoom(maxRemembered);
  const open = (placed: PlacedExpression) => lent?.of(placed) ?? columnEvaluator(placed, room);
  for await (const block of source.run(stored)) {
    const columns = calculated.columns.map(() =>
      lent === undefined || block.streamIndex !== undefined
        ? wholeColumn(block.count)
        : lentColumn(block.count),
    );
    for (const { stream, rows } of rowsOfStreams(block)) {
      const key = JSON.stringify([stream.streamId, stream.topic]);
      let ofStream = evaluators.get(key);
      if (ofStream === undefined) {
        if (evaluators.size === maxStreams) throw tooManyStreams();
        const rows = rowsBefore(stored, stream, source);
        ofStream = await warmEvaluators(calculated, stored.from, stream, rows, open);
        evaluators.set(key, ofStream);
      }
      for (const [i, evaluator] of ofStream.entries()) {
        const found = evaluator.evaluate(block, rows);
        if (found !== undefined) columns[i]!.add(found);
      }
    }
    const whole = columns.map((column) => column.finish());
    const made = withColumns(block, calculated, whole, isWanted && ((row) => isWanted(block, row)));
    if (made !== undefined) yield made;
  }
}

/**
 * Evaluators that have seen as much of the rows of a stream before `from` as they look back.
 *
 * @param rows those of the stream, of all parameters that are read
 */
export async function warmEvaluators(
  calculated: Calculated,
  from: bigint,
  stream: StreamKey,
  rows: RowsBefore,
  open: (placed: PlacedExpression) => ColumnEvaluator,
): Promise<readonly ColumnEvaluator[]> {
  const columns = calculated.columns.map((column) => expressionOfTopic(column, stream.topic));
  const evaluators = columns.map(open);
  if (from === minTimestamp) return evaluators;
  let begin = from;
  for (const column of columns) {
    if (column.expression.lookBack === undefined) continue;
    const first = await beginOf(column, from, rows);
    if (first < begin) begin = first;
  }
  if (begin === from) return evaluators;
  for await (const block of rows.forwards(begin, from))
    for (const evaluator of evaluators) evaluator.evaluate(block, undefined, from);
  return evaluators;
}

/** Whether a row is chosen by tags and the cursor; undefined where all are. */
function rowFilter({
  tagFilters,
  after,
  order,
}: ReadPlan): ((block: RowBlock, row: number) => boolean) | undefined {
  const hasTags = compileTagFilters(tagFilters);
  if (hasTags === undefined && after === undefined) return undefined;
  const isAfter = after && rowsAfter(after, order === 'Desc');
  return (block, row) => {
    if (hasTags !== undefined && !hasTags(block.tagSets[block.tagIndex?.[row] ?? 0]!)) return false;
    return isAfter === undefined || isAfter(block, row);
  };
}

function rowsAfter(position: Position, descending: boolean): (block: RowBlock, row: number) => boolean {
  const tags = tagSetOfKey(position.tags);
  return (block, row) => {
    const distance = block.offsets[row]! - Number(position.timestamp - block.base);
    const order =
      distance ||
      compareStreamKeys(block.streams[block.streamIndex?.[row] ?? 0]!, position) ||
      compareTagSets(block.tagSets[block.tagIndex?.[row] ?? 0]!, tags);
    return descending ? order < 0 : order > 0;
  };
}

function tooManyStreams(): PitwallError {
  return new PitwallError('query_too_large', {
    detail: `a calculated parameter that looks along rows goes over more than ${maxStreams} streams; ask for fewer`,
  });
}
