/** A time as samples have it. */
export interface SampleTime {
  /** Whole milliseconds since the Unix epoch. */
  readonly ms: number;
  /** Nanoseconds behind them, in [0, 1,000,000). */
  readonly ns: number;
}

/** @param time ns since the Unix epoch */
export function sampleTime(time: bigint): SampleTime {
  const ns = ((time % 1_000_000n) + 1_000_000n) % 1_000_000n;
  return { ms: Number((time - ns) / 1_000_000n), ns: Number(ns) };
}
