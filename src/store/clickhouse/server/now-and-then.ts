/** Whether something is to be said that may come thousands of times a second: true at the first call, and then once in so long (ms). */
export function nowAndThen(everyMs = 10_000): () => boolean {
  let saidAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - saidAt < everyMs) return false;
    saidAt = now;
    return true;
  };
}
