/**
 * Gives the versions of changes: numbers of which the largest wins. They begin as nanoseconds since the Unix epoch, by
 * the clock of the ClickHouse server (server-clock.ts), and rise with every call. They are no times: where the tables
 * hold larger ones, because a clock was ahead and is so no more, or still is on another server, they go on above those.
 * How far they lead is said with each change, so that it is known when it came.
 */
export interface VersionClock extends VersionSource {
  /**
   * Gives `count` versions, one after another, for what comes at one moment: they name one millisecond, where they are
   * fewer than a million, which no millisecond has.
   */
  inOneMs(count: number): VersionSource;
  /** A version that is there: those to come are larger. */
  see(version: bigint): void;
  /** Where versions are now, without taking one. */
  reading(): bigint;
  /**
   * Whether nodes may disagree about where versions are, so that a change has to look for newer ones before it takes
   * its own: not while all have the server's clock.
   */
  readonly mustLook: boolean;
  /** Milliseconds since the Unix epoch, by the clock that versions follow. */
  nowMs(): number;
}

/** Where changes get their versions. */
export interface VersionSource {
  /** A version that no one else on this node gets. */
  next(): bigint;
  /** Returns the next version, with the time of now. */
  stamp(): Stamp;
}

/** What a change is given. */
export interface Stamp {
  readonly version: bigint;
  /** When it came, in ns since the Unix epoch; the version itself where that leads by nothing worth saying. */
  readonly at: bigint;
}

export interface VersionClockOptions {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** Whether the other nodes have the same clock. */
  readonly isShared: boolean;
}

/** The smallest lead that matters. */
const noticeableNs = 1_000_000_000n;

const nsPerMs = 1_000_000n;

/**
 * The end of the versions that a clock shows (the year 2262): one of others that is beyond would leave too few above
 * it.
 */
const beyondClocks = 2n ** 63n;

/** How far a version leads the time at which its change came (ns); 0 for what is not worth saying. */
export function leadOf(version: bigint, arrival: bigint): bigint {
  const lead = version - arrival;
  return lead < noticeableNs ? 0n : lead;
}

export function versionClock({ nowMs, isShared }: VersionClockOptions): VersionClock {
  let last = 0n;
  let lead = { ns: 0n, sinceMs: 0 };

  const nowNs = (now: number) => {
    const whole = Math.floor(now);
    return BigInt(whole) * nsPerMs + BigInt(Math.floor((now - whole) * 1e6));
  };

  /** A lead shrinks by a tenth of the time that passes, on every node alike, so a past mistake heals. */
  function leadAt(now: number): bigint {
    if (lead.ns === 0n) return 0n;
    const passedMs = Math.max(0, now - lead.sinceMs);
    const left = lead.ns - BigInt(Math.floor(passedMs)) * 100_000n;
    return left > 0n ? left : 0n;
  }

  function reading(): bigint {
    const now = nowMs();
    return nowNs(now) + leadAt(now);
  }

  function take(from: bigint, count = 1n): bigint {
    const first = from > last ? from : last + 1n;
    last = first + count - 1n;
    return first;
  }

  const stampOf = (version: bigint, now: number) => ({ version, at: version - leadOf(version, nowNs(now)) });

  return {
    next: () => take(reading()),
    stamp: () => stampOf(take(reading()), nowMs()),
    inOneMs(count) {
      const now = nowMs();
      const read = nowNs(now) + leadAt(now);
      const first = read > last ? read : last + 1n;
      const span = BigInt(count);
      const fits = span > nsPerMs || (first % nsPerMs) + span <= nsPerMs;
      let version = take(fits ? first : (first / nsPerMs + 1n) * nsPerMs, span) - 1n;
      return { next: () => ++version, stamp: () => stampOf(++version, now) };
    },
    see(version) {
      if (version >= beyondClocks) return;
      if (version > last) last = version;
      const now = nowMs();
      const ahead = version - nowNs(now);
      if (ahead > leadAt(now)) lead = { ns: ahead, sinceMs: now };
    },
    reading,
    get mustLook() {
      return !isShared || leadAt(nowMs()) >= noticeableNs;
    },
    nowMs,
  };
}
