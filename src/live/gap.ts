import type { Subscriber } from './subscription.ts';

/** Tells readers that something is missing: they come back and read what they missed. */
export interface GapTeller {
  /** However often it is called before they are told, they are told once. */
  missed(): void;
  close(): void;
}

/** After a gap all nodes are given this long to be back, so that readers come back once. */
const gatherMs = 2000;
/** How many readers come back at one time, and how long until the next. */
const interruptedAtOnce = 500;
const interruptPauseMs = 100;

/**
 * @param readers those who may have missed something, when they are told
 * @param onTold gets how many that are, where there are any
 */
export function gapTeller(
  readers: () => readonly Subscriber[],
  onTold: (readers: number) => void = () => undefined,
): GapTeller {
  let timer: NodeJS.Timeout | undefined;

  function interrupt(all: readonly Subscriber[]): void {
    for (const reader of all.slice(0, interruptedAtOnce)) reader.interrupted?.();
    const rest = all.slice(interruptedAtOnce);
    timer = rest.length === 0 ? undefined : setTimeout(() => interrupt(rest), interruptPauseMs).unref();
  }

  return {
    missed() {
      timer ??= setTimeout(() => {
        const all = readers();
        if (all.length > 0) onTold(all.length);
        interrupt(all);
      }, gatherMs).unref();
    },
    close() {
      clearTimeout(timer);
    },
  };
}
