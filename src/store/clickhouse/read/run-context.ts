import type { CountRows } from '../../../query/bounds/running-queries.ts';
import type { ReadPlan } from '../../../query/plan/plan.ts';
import type { Pace } from '../../../turns/pace.ts';
import type { ClickHouse, StatementOptions } from '../server/client.ts';
import type { ScratchMemory, ScratchPool } from './scratch-memory.ts';
import type { Retained } from './selection-sql.ts';
import type { Alike, SliceBuilder } from './slice-builder.ts';
import type { TopicNames } from './topic-names.ts';

/** What a read works with. */
export interface RunContext {
  readonly clickhouse: ClickHouse;
  readonly options: StatementOptions;
  readonly kept: Retained;
  readonly topicNames: TopicNames;
  readonly scratch: ScratchPool;
  readonly pace: Pace;
  readonly countRows: CountRows;
}

/** A slice that is to be read. */
export interface SliceReading {
  /** With the times of the slice. */
  readonly plan: ReadPlan;
  readonly kept: Retained;
  readonly alike: Alike;
  readonly builder: SliceBuilder;
  /** With more values, or more bytes of texts, it is given up. */
  readonly most: number;
  readonly bytesAllowed: number;
  readonly memory: ScratchMemory;
}
