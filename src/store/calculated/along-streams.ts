import { minTimestamp } from '../../domain/timestamp.ts';
import { valueRoom } from '../../expression/value-room.ts';
import type { Calculated, PlacedExpression } from '../../query/plan/calculated.ts';
import type { RowBlock } from '../row-block.ts';
import type { StreamKey } from '../store.ts';
import { type BeginOfPage, beginOfPage } from './begin-of-page.ts';
import { type ColumnEvaluator, columnEvaluator, columnOfEvaluator, wholeColumn } from './column-evaluator.ts';
import { expressionOfTopic } from './column-of-topic.ts';
import { type EvaluatorPool, maxRemembered } from './evaluator-pool.ts';
import { maxStreams, openStreams } from './open-streams.ts';
import { pageEnd } from './page-end.ts';
import type { RowSource } from './row-source.ts';
import { type RowsBefore, rowsBefore } from './rows-before.ts';
import { rowsOfStreams } from './split-streams.ts';
import { turnedRound } from './turn-round.ts';
import { beginOf } from './warm-up.ts';
import { type CalculatingPlan, withColumns } from './with-columns.ts';

/**
 * Rows of a plan with columns that depend on the rows before. All rows of the streams are gone through in order of time
 * from where the page begins: tags, the cursor and the order choose among them after that.
 */
export function rowsAlongStreams(
  plan: CalculatingPlan,
  source: RowSource,
  lent?: EvaluatorPool,
): AsyncIterable<RowBlock> {
  const rows = ascendingRows(plan, beginOfPage(plan), source, plan.order === 'Desc' ? undefined : lent);
  return plan.order === 'Desc' ? turnedRound(rows, plan.limit) : rows;
}

async function* ascendingRows(
  plan: CalculatingPlan,
  begin: BeginOfPage,
  source: RowSource,
  lent: EvaluatorPool | undefined,
): AsyncGenerator<RowBlock> {
  const { calculated } = plan;
  const { stored, isWanted } = begin;
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
  const page = pageEnd(plan, streams, begin.knowsAll);
  let isFirst = true;
  let instead: BeginOfPage | undefined;
  for await (const block of page.inSteps(source.run(stored))) {
    const ofStreams = rowsOfStreams(block);
    if (isFirst && ofStreams.length > (source.fewStreams ?? maxStreams)) instead = begin.instead;
    if (instead !== undefined) break;
    isFirst = false;
    for (const { stream } of ofStreams) await streams.open(stream);
    page.begin(block);
    const columns = calculated.columns.map(() =>
      lent === undefined || block.streamIndex !== undefined
        ? wholeColumn(block.count)
        : columnOfEvaluator(block.count),
    );
    for (const { stream, rows } of ofStreams)
      for (const [i, evaluator] of streams.of(stream).entries()) {
        const found = evaluator.evaluate(block, rows, calculated.sumsFrom);
        if (found !== undefined) columns[i]!.add(found);
      }
    const whole = columns.map((column) => column.finish());
    const made = withColumns(block, calculated, whole, isWanted && ((row) => isWanted(block, row)));
    if (made !== undefined) yield* page.cut(block, made);
  }
  if (instead !== undefined) yield* ascendingRows(plan, instead, source, lent);
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
