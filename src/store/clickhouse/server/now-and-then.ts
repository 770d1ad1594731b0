/** Whether something is to be said that may come thousands of times a second: true at the first call, and then once in ten seconds. */
export function nowAndThen(): () => boolean {
  let saidAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - saidAt < 10_000) return false;
    saidAt = now;
    return true;
  };
}
