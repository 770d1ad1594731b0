/** A clock that is so far (ns) behind the time that was given last was set back; less may be a small correction. */
const setBackNs = 1_000_000_000n;
/** How far (ns) times are apart, within a millisecond, from those that were given before the clock was set back. */
const apartNs = 1000n;
const nsPerMs = 1_000_000n;

/**
 * Moments for what comes without one, in nanoseconds since the Unix epoch: never the same twice, or the second of two
 * events in one millisecond would replace the first. They follow a clock that is set back.
 *
 * @param now milliseconds since the Unix epoch
 */
export function uniqueTime(now: () => number): () => bigint {
  let last = 0n;
  let apart = 0n;
  return () => {
    const time = BigInt(Math.floor(now())) * nsPerMs;
    const isSetBack = last - time > setBackNs;
    if (isSetBack) apart = (apart + apartNs) % nsPerMs;
    last = isSetBack || time + apart > last ? time + apart : last + 1n;
    return last;
  };
}
