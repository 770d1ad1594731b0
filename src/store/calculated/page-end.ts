import type { RowBlock } from '../row-block.ts';
import { sliceBlock } from '../slice-block.ts';
import { rowAt } from './column-evaluator.ts';
import type { OpenStreams } from './open-streams.ts';
import { encodePageState, type SavedStream } from './page-state.ts';
import { rowsOfStreams } from './split-streams.ts';
import type { CalculatingPlan } from './with-columns.ts';

/** The fewest rows that are evaluated at once: each time takes as long as some hundred rows. */
const leastRows = 1024;

/** Cuts rows where the page of a plan ends, and tells what is remembered there. */
export interface PageEnd {
  /** Blocks in steps, so that of a page not many more rows are evaluated than it has. */
  inSteps(blocks: AsyncIterable<RowBlock>): AsyncIterable<RowBlock>;
  /** Before a block is evaluated, and its streams are open. */
  begin(block: RowBlock): void;
  /**
   * The rows that were made of that block. Where the page ends with one of them, that is the last row of a block with the
   * state.
   */
  cut(block: RowBlock, made: RowBlock): Iterable<RowBlock>;
}

/** @param knowsAll whether what the streams remember is all that is remembered at the end: else none of it is told */
export function pageEnd(plan: CalculatingPlan, streams: OpenStreams, knowsAll: boolean): PageEnd {
  const pageRows = plan.order === 'Desc' ? undefined : plan.pageRows;
  /** Rows up to the end of the page; undefined behind it, and where there is none. */
  let left = pageRows;
  /** What was remembered before the block; undefined where the page does not end in it, or that is too much. */
  let before: readonly SavedStream[] | undefined;
  return {
    async *inSteps(blocks) {
      for await (const block of blocks) {
        for (let from = 0, to: number; from < block.count; from = to) {
          to = pageRows === undefined ? block.count : from + Math.max(left ?? 0, leastRows);
          yield sliceBlock(block, from, Math.min(to, block.count));
        }
      }
    },
    begin(block) {
      before = knowsAll && left !== undefined && left <= block.count ? streams.save() : undefined;
    },
    *cut(block, made) {
      if (left === undefined || made.count < left) {
        if (left !== undefined) left -= made.count;
        yield made;
        return;
      }
      const saved = before && savedAt(streams, before, block, placeOf(block, made, left - 1) + 1);
      const state = saved && encodePageState(plan, saved);
      yield { ...sliceBlock(made, 0, left), ...(state !== undefined && { state }) };
      if (left < made.count) yield sliceBlock(made, left, made.count);
      left = undefined;
    },
  };
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
