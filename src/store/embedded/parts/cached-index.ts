import { type CachedItem, type MemoryBudget, memoryBudget } from './memory-budget.ts';
import type { PartIndex } from './part-index.ts';

/** The index of a part in memory, while it is kept or pinned. */
export interface CachedIndex extends CachedItem {
  readonly index: PartIndex;
  /** Its part forgets it. */
  letGo(): void;
}

export type IndexBudget = MemoryBudget<CachedIndex>;

export function indexBudget(limitBytes: number): IndexBudget {
  return memoryBudget<CachedIndex>(limitBytes, (index) => index.letGo());
}
