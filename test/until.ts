import { setTimeout as pause } from 'node:timers/promises';

/** Longer than anything takes that is waited for, on a slow and busy machine too. */
const patienceMs = 120_000;

/**
 * Waits for what must come, looking every few milliseconds. What has not come after two minutes never will: the error
 * names it, so that a test fails in its own place instead of holding up all that wait for the end.
 */
export async function until(condition: () => unknown, everyMs = 2): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`did not come: ${condition}`);
    await pause(everyMs);
  }
}
