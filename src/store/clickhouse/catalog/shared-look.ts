/** Asks for something that many want to be up to date; calls at the same time share an answer. */
export interface SharedLook {
  /** Resolves after a look that began after the call, in the order of the calls. */
  look(): Promise<void>;
  /** Resolves when no look is under way. */
  settled(): Promise<void>;
}

/**
 * A look no more often than once in `pauseMs`, at once where the last one is longer ago: for what strangers can ask for.
 * Each call resolves after a look that began after it.
 */
export function pacedLook(look: () => Promise<void>, pauseMs: number): () => Promise<void> {
  let beganAt = Number.NEGATIVE_INFINITY;
  let coming: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    coming = undefined;
    beganAt = performance.now();
    return look();
  };

  return () => {
    if (coming !== undefined) return coming;
    const left = beganAt + pauseMs - performance.now();
    if (left <= 0) return begin();
    coming = new Promise((resolve) => setTimeout(resolve, left)).then(begin);
    return coming;
  };
}

export function sharedLook(lookOnce: () => Promise<void>): SharedLook {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  /** A look that began before the call may have missed what the caller asks for, so the call waits for the next one. */
  function look(): Promise<void> {
    if (running === undefined) {
      running = lookOnce().finally(() => {
        running = undefined;
      });
      return running;
    }
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return look();
      });
    return next;
  }

  return {
    look,
    async settled() {
      await Promise.allSettled([running, next]);
    },
  };
}
