import { promised } from '../../turns/promised.ts';

/** Lets work on some things wait for earlier work on any of them; work on other things goes on beside it. */
export interface Turns {
  /** `ready` resolves, and never rejects, when all that entered before with one of the keys has left. */
  enter(keys: readonly string[]): { readonly ready: Promise<unknown>; leave(): void };
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<void>>();
  return {
    enter(keys) {
      const before = new Set<Promise<void>>();
      const { promise: own, resolve: end } = promised();
      for (const key of keys) {
        const earlier = last.get(key);
        if (earlier !== undefined) before.add(earlier);
        last.set(key, own);
      }
      return {
        ready: Promise.all(before),
        leave() {
          for (const key of keys) if (last.get(key) === own) last.delete(key);
          end();
        },
      };
    },
  };
}
