import type { ResultBlock } from '../domain/result.ts';
import type { StreamKey } from '../domain/stream.ts';
import type { TagSet } from '../domain/tags.ts';

/**
 * Rows of an answer before its tags are chosen: each row has its stream and its whole tag set. Columns are aligned with
 * `plan.parameters`.
 */
export interface RowBlock extends Omit<ResultBlock, 'tags'> {
  /** Per row an index into `streams`; undefined means all rows belong to `streams[0]`. */
  readonly streamIndex: Uint32Array | undefined;
  readonly streams: readonly StreamKey[];
  /** Per row an index into `tagSets`; undefined means every row has `tagSets[0]`. */
  readonly tagIndex: Uint32Array | undefined;
  readonly tagSets: readonly TagSet[];
  /**
   * No other rows of its stream come but in the blocks right before it and behind it; of a whole stream, in no other
   * (`streamsApart` of the plan). Its columns hold until the next block is asked for.
   */
  readonly apart?: 'part' | 'whole' | undefined;
  /** What functions along rows remember behind the last row, for the cursor there (`pageRows` of the plan). */
  readonly state?: string;
}
