/**
 * What one node removes or changes, others may not know for a second: what they write in it, and what they had begun
 * to write before, comes behind. So the node looks for it again some time later. A node that stops before forgets its
 * looks; the next start of any node looks too.
 */
export interface SecondLooks {
  plan(look: () => Promise<void>): void;
  /** Forgets what is planned; resolves when no look is under way. */
  close(): Promise<void>;
}

/**
 * After the first time all nodes know of a change, as they look every second. After the second, what they tried to
 * insert for a minute has arrived or failed.
 */
const usualTimesMs = [10_000, 180_000] as const;

/** A look that fails is told, and the next one is as planned. */
export function secondLooks(
  onFailure: (error: unknown) => void,
  timesMs: readonly number[] = usualTimesMs,
): SecondLooks {
  const timers = new Set<NodeJS.Timeout>();
  const running = new Set<Promise<void>>();

  return {
    plan(look) {
      for (const time of timesMs) {
        const timer = setTimeout(() => {
          timers.delete(timer);
          const looking = look()
            .catch(onFailure)
            .finally(() => running.delete(looking));
          running.add(looking);
        }, time).unref();
        timers.add(timer);
      }
    },
    async close() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      await Promise.all(running);
    },
  };
}
