import type { Pace } from './pace.ts';

/** Resolves when everything else that waits for the thread has had a turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Calls `work` when everything else that waits for the thread has had a turn. */
export function inNextTurn(work: () => void): void {
  setImmediate(work);
}

/** A pace for work that nobody ends: everything else has a turn after each `sliceMs` milliseconds of it. */
export function restEvery(sliceMs: number): Pace {
  let start = performance.now();
  return () => {
    if (performance.now() - start < sliceMs) return undefined;
    return nextTurn().then(() => {
      start = performance.now();
    });
  };
}
