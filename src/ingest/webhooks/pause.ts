/** How long a message is tried again, from the change that it tells of on (ms). */
export const patienceMs = 3_600_000;

const firstPauseMs = 1000;
const longestPauseMs = 300_000;

/**
 * How long (ms) to wait after so many failures in a row: about a second, then twice as long each time, five minutes at
 * most. By chance a part of up to a half is taken off, so that those who failed together do not come again together.
 *
 * @param asked what the receiver asked to wait (ms), which is heeded up to the longest pause
 */
export function pauseMs(failures: number, asked = 0, random: () => number = Math.random): number {
  const longest = Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
  return Math.max(longest * (1 - random() / 2), Math.min(asked, longestPauseMs));
}
