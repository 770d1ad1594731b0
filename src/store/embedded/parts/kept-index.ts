import { type KeptItem, type MemoryBudget, memoryBudget } from './memory-budget.ts';
import type { PartIndex } from './part-index.ts';

/** The index of a part in memory, while it is kept or pinned. */
export interface KeptIndex extends KeptItem {
  readonly index: PartIndex;
  /** Its part forgets it. */
  letGo(): void;
}

export type IndexBudget = MemoryBudget<KeptIndex>;

export function indexBudget(limitBytes: number): IndexBudget {
  return memoryBudget<KeptIndex>(limitBytes, (index) => index.letGo());
}
