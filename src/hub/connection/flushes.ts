import type { Slices } from '../../turns/slices.ts';

/**
 * Connections with something to send, each in its turn: as soon as the code that runs now has ended, so that what it
 * sends to one connection leaves together, and in slices, so that thousands of readers do not keep the thread.
 */
export interface Flushes {
  /** `run` writes to one connection. */
  add(run: () => void): void;
}

export function createFlushes(slices: Slices): Flushes {
  let waiting: (() => void)[] = [];
  let isScheduled = false;

  const runAll = (): void => {
    isScheduled = false;
    let done = 0;
    while (done < waiting.length && (done === 0 || !slices.isOver())) waiting[done++]!();
    waiting = waiting.slice(done);
    if (waiting.length === 0 || isScheduled) return;
    isScheduled = true;
    slices.later(runAll);
  };

  return {
    add(run) {
      waiting.push(run);
      if (isScheduled) return;
      isScheduled = true;
      process.nextTick(runAll);
    },
  };
}
