import { sliceRows } from '../domain/slice-rows.ts';
import type { RowBlock } from './store.ts';

/** The rows [from, to) of a block, sharing arrays where that is possible. */
export function sliceBlock(block: RowBlock, from: number, to: number): RowBlock {
  if (from === 0 && to === block.count) return block;
  return { ...sliceRows(block, from, to), streamIndex: block.streamIndex?.subarray(from, to) };
}
