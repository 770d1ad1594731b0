/**
 * The version of a change: nanoseconds since the Unix epoch, which also say when it came. Versions of one node rise
 * with every call. Between nodes they follow the clock of the ClickHouse server, from which each node measures how
 * far its own is off: what is asked for at one node after another has acknowledged is newer, as long as the
 * measurements are off by less than an insert takes. Of writes to the same identity at the same time through two
 * nodes, the larger version stays.
 */
export interface VersionClock {
  /** The first of `count` versions, one after another, which no one else on this node gets. */
  next(count?: number): bigint;
  /** The server's clock in ns, asked for between two readings of `monotonicMs`. */
  observe(serverNs: bigint, sentMs: number, receivedMs: number): void;
  /** Milliseconds of a clock that never goes back, for `observe`. */
  monotonicMs(): number;
  /** Milliseconds since the Unix epoch, by the clock that versions follow. */
  nowMs(): number;
}

/**
 * A measurement counts while it is the tightest of the last minutes: the answer that came fastest says most about
 * the server's clock. Machines' clocks drift by less than 50 ppm, 3 ms a minute.
 */
const measurementLastsMs = 120_000;
const driftMs = 6;

/** @param clock milliseconds since the Unix epoch instead of the machine's and the server's, for tests */
export function versionClock(clock?: () => number): VersionClock {
  let last = 0n;
  /** Of the server's clock to the monotonic one. */
  let offsetMs = Date.now() - performance.now();
  let measured: { readonly atMs: number; readonly uncertaintyMs: number } | undefined;

  const nowMs = () => (clock === undefined ? performance.now() + offsetMs : clock());
  return {
    next(count = 1) {
      const now = nowMs();
      const whole = Math.floor(now);
      const ns = BigInt(whole) * 1_000_000n + BigInt(Math.floor((now - whole) * 1e6));
      const first = ns > last ? ns : last + 1n;
      last = first + BigInt(count - 1);
      return first;
    },
    observe(serverNs, sentMs, receivedMs) {
      const uncertaintyMs = (receivedMs - sentMs) / 2;
      const offset = Number(serverNs / 1000n) / 1000 - (sentMs + uncertaintyMs);
      const isBetter =
        measured === undefined ||
        uncertaintyMs <= measured.uncertaintyMs ||
        receivedMs - measured.atMs > measurementLastsMs ||
        // A clock was set, or the machine slept.
        Math.abs(offset - offsetMs) > uncertaintyMs + measured.uncertaintyMs + driftMs;
      if (!isBetter) return;
      measured = { atMs: receivedMs, uncertaintyMs };
      offsetMs = offset;
    },
    monotonicMs: () => performance.now(),
    nowMs,
  };
}
