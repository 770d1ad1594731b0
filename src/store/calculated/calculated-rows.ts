import { plansAhead, runsAlongRows } from '../../query/plan/calculated.ts';
import type { RowBlock } from '../row-block.ts';
import { sliceBlock } from '../slice-block.ts';
import { withAheadSource } from './ahead-source.ts';
import { rowsAlongStreams } from './along-streams.ts';
import { wholeColumn } from './column-evaluator.ts';
import { columnOfTopics } from './column-of-topic.ts';
import type { EvaluatorPool } from './evaluator-pool.ts';
import type { RowSource } from './row-source.ts';
import { type CalculatingPlan, withColumns } from './with-columns.ts';

/**
 * Runs a plan that calculates, on rows as they are stored. Blocks have the columns of `calculatedKeys`; their memory is the
 * caller's, until it asks for the next block where evaluators are lent. Throws `query_too_large` where windows, tags of `over`, streams, or rows in descending order are too many.
 *
 * @param lent for a plan of one stream
 */
export async function* calculatedRows(
  plan: CalculatingPlan,
  source: RowSource,
  lent?: EvaluatorPool,
): AsyncGenerator<RowBlock> {
  if (plansAhead(plan)) {
    const ahead = withAheadSource(plan, source, calculatedRows);
    yield* calculatedRows(ahead.plan, ahead.source);
    return;
  }
  let left = plan.limit ?? Number.POSITIVE_INFINITY;
  const blocks = runsAlongRows(plan) ? rowsAlongStreams(plan, source, lent) : rowsByThemselves(plan, source);
  for await (const block of blocks) {
    yield block.count > left ? sliceBlock(block, 0, left) : block;
    left -= block.count;
    if (left <= 0) return;
  }
}

/** Where each row stands for itself, blocks are evaluated as they come. */
async function* rowsByThemselves(plan: CalculatingPlan, source: RowSource): AsyncGenerator<RowBlock> {
  const { calculated, ...stored } = plan;
  const evaluators = calculated.columns.map(columnOfTopics);
  for await (const block of source.run({ ...stored, limit: undefined })) {
    const columns = evaluators.map((evaluator) => {
      const column = wholeColumn(block.count);
      for (const found of evaluator.evaluate(block)) column.add(found);
      return column.finish();
    });
    const made = withColumns(block, calculated, columns);
    if (made !== undefined) yield made;
  }
}
