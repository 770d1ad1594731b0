import { effect, type ReadonlySignal, signal } from '@preact/signals';

/** Between two readings: so long at least, and so many times as long as the last one took. */
export interface Pause {
  readonly ms: number;
  readonly times: number;
}

export interface Resting {
  /** Grows when it is time to read again. */
  readonly now: ReadonlySignal<number>;
  readonly read: <Value>(work: () => Promise<Value>) => Promise<Value>;
}

/**
 * Follows a signal for what is dear to read again: it stands still while that is read, and for a pause behind that. A change
 * that falls into the pause comes at its end.
 */
export function resting(source: ReadonlySignal<unknown>, { ms, times }: Pause): Resting {
  const now = signal(0);
  let isResting = false;
  let isMissed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tell = (): void => {
    isMissed = false;
    now.value = now.peek() + 1;
  };
  effect(() => {
    source.value;
    if (isResting) isMissed = true;
    else tell();
  });
  return {
    now,
    async read(work) {
      const began = Date.now();
      clearTimeout(timer);
      isResting = true;
      try {
        return await work();
      } finally {
        const tookMs = Date.now() - began;
        clearTimeout(timer);
        timer = setTimeout(
          () => {
            isResting = false;
            if (isMissed) tell();
          },
          Math.max(ms, times * tookMs),
        );
      }
    },
  };
}
