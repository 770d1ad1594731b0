import { setTimeout as pause } from 'node:timers/promises';

/** Longer than anything takes that is waited for, on a slow and busy machine too. */
const patienceMs = 120_000;

const longestPauseMs = 50;

/**
 * Waits for what must come: looks at once, after `everyMs`, and then less and less often, so that looking does not take
 * the processor from what it waits for. What has not come after two minutes never will: the error
 * names it, so that a test fails in its own place instead of holding up all that wait for the end.
 */
export async function until(condition: () => unknown, everyMs = 2): Promise<void> {
  const deadline = performance.now() + patienceMs;
  let pauseMs = everyMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`did not come: ${condition}`);
    await pause(pauseMs);
    pauseMs = Math.max(everyMs, Math.min(longestPauseMs, pauseMs * 1.5));
  }
}
