/** Lets one in at a time, in the order in which they came. */
export interface OneByOne {
  /**
   * Resolves when it is the caller's turn, with what ends it; to end it again does nothing. Rejects with the signal's
   * reason as soon as that aborts while the caller waits: then nothing of it is kept.
   */
  enter(signal: AbortSignal): Promise<() => void>;
}

export function oneByOne(): OneByOne {
  /** In the order in which they came. */
  const waiting = new Set<() => void>();
  let isTaken = false;

  const turn = (): (() => void) => {
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      const [next] = waiting;
      if (next === undefined) isTaken = false;
      else next();
    };
  };

  const myTurn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const go = (): void => {
        waiting.delete(go);
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        waiting.delete(go);
        reject(signal.reason);
      };
      waiting.add(go);
      signal.addEventListener('abort', giveUp, { once: true });
    });

  return {
    async enter(signal) {
      signal.throwIfAborted();
      if (isTaken) await myTurn(signal);
      isTaken = true;
      return turn();
    },
  };
}
