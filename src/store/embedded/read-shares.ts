/** Part files that a thread has open at one time, however many threads there are. */
const leastFiles = 16;

/** What a thread may keep and hold open for its reads. */
export interface ReadShare {
  readonly cacheBytes: number;
  readonly indexBytes: number;
  readonly maxFiles: number;
}

/** What the store may keep and hold open for reads. */
export interface ReadLimits {
  readonly cacheBytes?: number;
  readonly indexBytes?: number;
  readonly maxFiles?: number;
}

/**
 * How the main thread and the threads that read share limits. Reads of much go to threads, so these have two thirds of
 * the cache together. Indexes and open files serve small reads as much as large ones, and are shared equally.
 */
export function readShares(
  { cacheBytes = 96 << 20, indexBytes = 128 << 20, maxFiles = 256 }: ReadLimits,
  threads: number,
): { readonly own: ReadShare; readonly ofThread: ReadShare } {
  const equal = {
    indexBytes: Math.floor(indexBytes / (1 + threads)),
    maxFiles: Math.max(leastFiles, Math.floor(maxFiles / (1 + threads))),
  };
  const own = threads === 0 ? cacheBytes : Math.floor(cacheBytes / 3);
  const ofThread = threads === 0 ? 0 : Math.floor((cacheBytes - own) / threads);
  return { own: { ...equal, cacheBytes: own }, ofThread: { ...equal, cacheBytes: ofThread } };
}
