/**
 * Whether a time (ms) has come that was put off by `pauseMs` at most. One that is further away was set by a clock that has been
 * set back since: nothing waits for it.
 */
export function isDue(time: number, now: number, pauseMs: number): boolean {
  return time <= now || time > now + pauseMs;
}
