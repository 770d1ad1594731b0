/**
 * What one node removes or changes, others may not know for a second: what they write in that second, and what they had
 * begun to write before, comes after it. So the node checks again some time later. A node that stops before forgets its
 * rechecks; the next start of any node checks too.
 */
export interface Rechecks {
  /** @param what is to be checked: several plans of the same within some seconds are one recheck */
  plan(what: string, check: () => Promise<void>): void;
  /** Forgets what is planned; resolves when no recheck is under way. */
  close(): Promise<void>;
}

export interface RecheckTimes {
  /** The minimum times from a plan to each of its rechecks. */
  readonly afterMs: readonly number[];
  /** Rechecks are made at multiples of this time. */
  readonly everyMs: number;
}

/**
 * After the first time all nodes know of a change, as they look for changes every second. After the second, what they
 * tried to insert for a minute has arrived or failed.
 */
const defaultTimes: RecheckTimes = { afterMs: [10_000, 180_000], everyMs: 10_000 };

/** A recheck that fails is told, and the next one is as planned. */
export function createRechecks(onFailure: (error: unknown) => void, times = defaultTimes): Rechecks {
  const timers = new Map<string, NodeJS.Timeout>();
  const running = new Set<Promise<void>>();

  function planAt(dueMs: number, what: string, check: () => Promise<void>): void {
    const key = JSON.stringify([dueMs, what]);
    if (timers.has(key)) return;
    const begin = (): void => {
      timers.delete(key);
      const checking = check()
        .catch(onFailure)
        .finally(() => running.delete(checking));
      running.add(checking);
    };
    timers.set(key, setTimeout(begin, dueMs - performance.now()).unref());
  }

  return {
    plan(what, check) {
      const { afterMs, everyMs } = times;
      for (const after of afterMs) {
        planAt(Math.ceil((performance.now() + after) / everyMs) * everyMs, what, check);
      }
    },
    async close() {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      await Promise.all(running);
    },
  };
}
