/**
 * Moments for events that come without one, in nanoseconds since the Unix epoch: never the same twice, or the second
 * of two events in one millisecond would replace the first.
 *
 * @param now milliseconds since the Unix epoch
 */
export function uniqueTime(now: () => number): () => bigint {
  let last = 0n;
  return () => {
    const time = BigInt(Math.floor(now())) * 1_000_000n;
    last = time > last ? time : last + 1n;
    return last;
  };
}
