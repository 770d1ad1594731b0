/**
 * How far the machine's clock is believed. A wrong one that was asked what is expired would take everything away, so
 * time counts as passed only where the monotonic clock has seen it pass: that is the proven time.
 *
 * A clock within a day of the proven time is believed, whatever set it there: a summer time, a stop of some hours, a
 * laptop that slept. The proven time follows such a clock, back at once and ahead at most 24 times as fast as time
 * passes: many small jumps take it no further than that, however often the service starts.
 *
 * A clock that is further ahead or back is a claim. One that is ahead counts for nothing until it has stood for a day
 * of running, or someone confirms it: until then the proven time stands in. One that is back takes nothing away by
 * itself, and is followed as it is.
 */
export interface BelievedClock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Reads the clocks; to be called now and then, and before all that follows. Says what became of the clock. */
  look(): ClockEvent | undefined;
  /** Believes the machine's clock as it is now. */
  confirm(): void;
  /** Of the last look. */
  readonly state: ClockState;
}

/** `ahead` and `back`: a claim began; `believed`: it stood for a day; `returned`: the clock is near the proven time. */
export type ClockEvent = 'ahead' | 'back' | 'believed' | 'returned';

/** What a restart goes on with, and JSON holds. Times are milliseconds since the Unix epoch. */
export interface ClockState {
  readonly proven: number;
  readonly claim?: Claim;
}

export interface Claim {
  readonly time: number;
  /** Milliseconds of running for which it has stood. */
  readonly stoodMs: number;
}

/** Both in ms: the machine's since the Unix epoch, which may jump, and one that only ever moves on. */
export interface Clocks {
  readonly wall: () => number;
  readonly monotonic: () => number;
}

/** The furthest distance of clocks that are one clock. */
export const dayMs = 86_400_000;
/**
 * How many times faster than time the believed clock may go: a service that runs for an hour a day keeps up with its
 * clock.
 */
const fastest = 24;

/** @param kept the state at the last stop; undefined believes the wall clock */
export function believedClock({ wall, monotonic }: Clocks, kept: ClockState | undefined): BelievedClock {
  let state: ClockState = kept ?? { proven: wall() };
  let at = monotonic();

  function look(): ClockEvent | undefined {
    const time = wall();
    const elapsed = monotonic() - at;
    at += elapsed;
    const { claim } = state;
    const followed = follow(state.proven, elapsed, time);
    if (followed !== undefined) {
      state = { proven: followed };
      return claim && 'returned';
    }
    const proven = state.proven + elapsed;
    const claimed = claim && follow(claim.time, elapsed, time);
    if (claim === undefined || claimed === undefined) {
      state = { proven, claim: { time, stoodMs: 0 } };
      return time > proven ? 'ahead' : 'back';
    }
    const stoodMs = claim.stoodMs + elapsed;
    const isBelieved = stoodMs >= dayMs;
    state = isBelieved ? { proven: claimed } : { proven, claim: { time: claimed, stoodMs } };
    return isBelieved ? 'believed' : undefined;
  }

  return {
    now() {
      const time = wall();
      const proven = state.proven + monotonic() - at;
      return time - proven > dayMs ? Math.floor(proven) : time;
    },
    look,
    confirm() {
      at = monotonic();
      state = { proven: wall() };
    },
    get state() {
      return state;
    },
  };
}

/** Where a clock is that stood at `from` and now, `elapsed` later, should be at `to`; undefined if it is another one. */
function follow(from: number, elapsed: number, to: number): number | undefined {
  if (Math.abs(to - from - elapsed) > dayMs) return undefined;
  return Math.min(to, from + fastest * elapsed);
}
