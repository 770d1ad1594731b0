import { maxTimestamp, minTimestamp } from '../../../src/domain/timestamp.ts';
import type { Selection } from '../../../src/query/plan/plan.ts';

/** All rows of the default workspace. */
export const everything: Selection = {
  workspace: 'default',
  streamIds: undefined,
  topic: undefined,
  from: minTimestamp,
  to: maxTimestamp,
  tagFilters: [],
};
