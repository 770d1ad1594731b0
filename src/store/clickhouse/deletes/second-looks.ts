/**
 * What one node removes or changes, others may not know for a second: what they write in it, and what they had begun
 * to write before, comes behind. So the node looks for it again some time later. A node that stops before forgets its
 * looks; the next start of any node looks too.
 */
export interface SecondLooks {
  /** @param what says what is looked for: several plans of the same within some seconds are one look */
  plan(what: string, look: () => Promise<void>): void;
  /** Forgets what is planned; resolves when no look is under way. */
  close(): Promise<void>;
}

export interface LookTimes {
  /** From a plan to each of its looks, at least. */
  readonly afterMs: readonly number[];
  /** Looks are made at multiples of this time. */
  readonly everyMs: number;
}

/**
 * After the first time all nodes know of a change, as they look every second. After the second, what they tried to
 * insert for a minute has arrived or failed.
 */
const usualTimes: LookTimes = { afterMs: [10_000, 180_000], everyMs: 10_000 };

/** A look that fails is told, and the next one is as planned. */
export function secondLooks(onFailure: (error: unknown) => void, times = usualTimes): SecondLooks {
  const timers = new Map<string, NodeJS.Timeout>();
  const running = new Set<Promise<void>>();

  function planAt(dueMs: number, what: string, look: () => Promise<void>): void {
    const key = JSON.stringify([dueMs, what]);
    if (timers.has(key)) return;
    const begin = (): void => {
      timers.delete(key);
      const looking = look()
        .catch(onFailure)
        .finally(() => running.delete(looking));
      running.add(looking);
    };
    timers.set(key, setTimeout(begin, dueMs - performance.now()).unref());
  }

  return {
    plan(what, look) {
      const { afterMs, everyMs } = times;
      for (const after of afterMs) {
        planAt(Math.ceil((performance.now() + after) / everyMs) * everyMs, what, look);
      }
    },
    async close() {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      await Promise.all(running);
    },
  };
}
