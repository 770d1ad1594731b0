import { minTimestamp } from '../../domain/timestamp.ts';
import { valueRoom } from '../../expression/value-room.ts';
import type { Calculated, PlacedExpression } from '../../query/calculated.ts';
import type { RowBlock } from '../row-block.ts';
import { sliceBlock } from '../slice-block.ts';
import type { StreamKey } from '../store.ts';
import { type BeginOfPage, beginOfPage } from './begin-of-page.ts';
import { type ColumnEvaluator, columnEvaluator, lentColumn, rowAt, wholeColumn } from './column-evaluator.ts';
import { expressionOfTopic } from './column-of-topic.ts';
import { type LentEvaluators, maxRemembered } from './lent-evaluators.ts';
import { type OpenStreams, openStreams } from './open-streams.ts';
import { encodePageState, type SavedStream } from './page-state.ts';
import type { RowSource } from './row-source.ts';
import { type RowsBefore, rowsBefore } from './rows-before.ts';
import { rowsOfStreams } from './split-streams.ts';
import { turnedRound } from './turn-round.ts';
import { beginOf } from './warm-up.ts';
import { type CalculatingPlan, withColumns } from './with-columns.ts';

/** Rows of one step, at least: each step takes the time of some hundred rows. */
const leastRows = 1024;

/**
 * Rows of a plan with columns that depend on the rows before. All rows of the streams are gone through in order of time
 * from where the page begins: tags, the cursor and the order choose among them after that.
 */
export function rowsAlongStreams(
  plan: CalculatingPlan,
  source: RowSource,
  lent?: LentEvaluators,
): AsyncIterable<RowBlock> {
  const rows = ascendingRows(plan, beginOfPage(plan), source, plan.order === 'Desc' ? undefined : lent);
  return plan.order === 'Desc' ? turnedRound(rows, plan.limit) : rows;
}

async function* ascendingRows(
  plan: CalculatingPlan,
  begin: BeginOfPage,
  source: RowSource,
  lent: LentEvaluators | undefined,
): AsyncGenerator<RowBlock> {
  const { calculated } = plan;
  const { stored, isWanted } = begin;
  let instead = source.fewStreams === undefined ? undefined : begin.instead;
  if (stored.from > stored.to) return;
  lent?.room.clear();
  const room = lent?.room ?? valueRoom(maxRemembered);
  const evaluatorOf = (placed: PlacedExpression) => lent?.of(placed) ?? columnEvaluator(placed, room);
  const streams = openStreams(
    ({ topic }) => calculated.columns.map((column) => evaluatorOf(expressionOfTopic(column, topic))),
    (stream) => {
      const rows = rowsBefore(begin.before, stream, source);
      return warmEvaluators(calculated, stored.from, stream, rows, evaluatorOf, lent === undefined);
    },
    begin.saved,
  );
  const pageRows = lent === undefined && plan.order === 'Asc' ? plan.pageRows : undefined;
  let left = pageRows;
  const stepRows = () => (pageRows === undefined ? Number.POSITIVE_INFINITY : Math.max(left ?? 0, leastRows));
  for await (const block of inSteps(source.run(stored), stepRows)) {
    const ofStreams = rowsOfStreams(block);
    if (instead !== undefined && ofStreams.length > source.fewStreams!) {
      yield* ascendingRows(plan, instead, source, lent);
      return;
    }
    instead = undefined;
    for (const { stream } of ofStreams) await streams.open(stream);
    const before = left !== undefined && left <= block.count ? streams.save() : undefined;
    const columns = calculated.columns.map(() =>
      lent === undefined || block.streamIndex !== undefined
        ? wholeColumn(block.count)
        : lentColumn(block.count),
    );
    for (const { stream, rows } of ofStreams)
      for (const [i, evaluator] of streams.of(stream).entries()) {
        const found = evaluator.evaluate(block, rows);
        if (found !== undefined) columns[i]!.add(found);
      }
    const whole = columns.map((column) => column.finish());
    const made = withColumns(block, calculated, whole, isWanted && ((row) => isWanted(block, row)));
    if (made === undefined) continue;
    if (left === undefined || made.count < left) {
      if (left !== undefined) left -= made.count;
      yield made;
      continue;
    }
    const saved = before && savedAt(streams, before, block, placeOf(block, made, left - 1) + 1);
    const state = saved && encodePageState(plan, saved);
    yield { ...sliceBlock(made, 0, left), ...(state !== undefined && { state }) };
    if (left < made.count) yield sliceBlock(made, left, made.count);
    left = undefined;
  }
}

/** Of a page not many more rows are evaluated than it has: blocks are taken in steps of so many. */
async function* inSteps(blocks: AsyncIterable<RowBlock>, rows: () => number): AsyncGenerator<RowBlock> {
  for await (const block of blocks) {
    for (let from = 0, to: number; from < block.count; from = to) {
      to = Math.min(block.count, from + rows());
      yield sliceBlock(block, from, to);
    }
  }
}

/** The row of a block that a row of those which were picked from it is. */
function placeOf(block: RowBlock, picked: RowBlock, row: number): number {
  let place = rowAt(block.offsets, picked.offsets[row]!, block.count);
  const isOther = () =>
    block.streamIndex?.[place] !== picked.streamIndex?.[row] ||
    block.tagIndex?.[place] !== picked.tagIndex?.[row];
  while (isOther()) place++;
  return place;
}

/**
 * What is remembered behind the first rows of a block; the streams then go on behind the block.
 *
 * @param before what was remembered before the block
 */
function savedAt(
  streams: OpenStreams,
  before: readonly SavedStream[],
  block: RowBlock,
  end: number,
): readonly SavedStream[] | undefined {
  if (end === block.count) return streams.save();
  const see = (rows: RowBlock) => {
    for (const { stream, rows: own } of rowsOfStreams(rows))
      for (const evaluator of streams.of(stream)) evaluator.evaluate(rows, own);
  };
  streams.goBack(before);
  see(sliceBlock(block, 0, end));
  const saved = streams.save();
  see(sliceBlock(block, end, block.count));
  return saved;
}

/**
 * Evaluators that have seen as much of the rows of a stream before `from` as they look back.
 *
 * @param rows those of the stream, of all parameters that are read
 * @param isExact see `beginOf`
 */
export async function warmEvaluators(
  calculated: Calculated,
  from: bigint,
  stream: StreamKey,
  rows: RowsBefore,
  open: (placed: PlacedExpression) => ColumnEvaluator,
  isExact = false,
): Promise<readonly ColumnEvaluator[]> {
  const columns = calculated.columns.map((column) => expressionOfTopic(column, stream.topic));
  const evaluators = columns.map(open);
  if (from === minTimestamp) return evaluators;
  let begin = from;
  for (const column of columns) {
    if (column.expression.lookBack === undefined) continue;
    const first = await beginOf(column, from, rows, isExact);
    if (first < begin) begin = first;
  }
  if (begin === from) return evaluators;
  for await (const block of rows.forwards(begin, from))
    for (const evaluator of evaluators) evaluator.evaluate(block, undefined, from);
  return evaluators;
}
