/** Asks for something that many want to be up to date; calls at the same time share an answer. */
export interface SharedLook {
  /** Resolves after a look that began after the call, in the order of the calls. */
  look(): Promise<void>;
  /** Resolves when no look is under way. */
  settled(): Promise<void>;
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
