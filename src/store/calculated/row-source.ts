import type { ReadPlan } from '../../query/plan/plan.ts';
import type { RowBlock } from '../row-block.ts';
import type { StreamKey } from '../store.ts';

/** Rows as they are stored, for plans that calculate nothing. */
export interface RowSource {
  run(plan: ReadPlan): AsyncIterable<RowBlock>;
  /** Runs a plan for one of its streams. */
  runStream(plan: ReadPlan, stream: StreamKey): AsyncIterable<RowBlock>;
  /** More streams are not worth to be read one by one where all of them can be read together; undefined: any number is. */
  readonly fewStreams?: number;
}
