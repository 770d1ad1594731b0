/**
 * Takes answers in the order in which they were asked for, however long each takes: at once where it is there and
 * nothing waits before it.
 */
export interface InOrder {
  /** How many answers are waited for. */
  waiting(): number;
  /** One of the two is called, and neither may throw. */
  take<T>(answer: T | Promise<T>, use: (answer: T) => void, onFailure: () => void): void;
}

export function inOrder(): InOrder {
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;

  return {
    waiting: () => waiting,
    take(answer, use, onFailure) {
      if (!(answer instanceof Promise) && waiting === 0) {
        use(answer);
        return;
      }
      waiting++;
      const taken = Promise.allSettled([answer, last]).then(([outcome]) => {
        waiting--;
        if (outcome.status === 'fulfilled') use(outcome.value);
        else onFailure();
      });
      last = taken;
    },
  };
}
