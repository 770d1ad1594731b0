import { setTimeout as pause } from 'node:timers/promises';

/** Longer than anything takes that is waited for, on a slow and busy machine too. */
const patienceMs = 120_000;

const longestPauseMs = 50;
/** A pause may be longer where it is a small share of what was waited already. */
const shareOfWait = 1 / 20;

/**
 * Waits for what must come: looks at once, after `everyMs`, and then less and less often, so that looking does not take
 * the processor from what it waits for. What has not come after two minutes never will: the error
 * names it, so that a test fails in its own place instead of holding up all that wait for the end.
 */
export async function until(condition: () => unknown, everyMs = 2): Promise<void> {
  const start = performance.now();
  let pauseMs = everyMs;
  while (!(await condition())) {
    const waitedMs = performance.now() - start;
    if (waitedMs > patienceMs) throw new Error(`did not come: ${condition}`);
    await pause(pauseMs);
    const mostMs = Math.max(longestPauseMs, waitedMs * shareOfWait);
    pauseMs = Math.max(everyMs, Math.min(mostMs, pauseMs * 1.5));
  }
}
