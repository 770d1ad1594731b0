import type { CanFrame } from './can-frame.ts';

/** What stands in a log beside frames with data: what it is, and how often. */
export type Counts = Map<string, number>;

/** Frames of a log. */
export interface FrameLog {
  /** All frames, anew with each call; what else there is is counted. Throws a FileFault. */
  frames(counts: Counts): AsyncGenerator<CanFrame>;
  /** Of the recording, ns since the Unix epoch; undefined where the log does not tell it, and its times begin at 0. */
  readonly start: bigint | undefined;
  /** What was taken for granted, for people. */
  readonly notes: readonly string[];
}

export function count(counts: Counts, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

const second = 1_000_000_000n;

/** Turns seconds with decimals into nanoseconds. */
export function nanosecondsOf(seconds: string): bigint {
  const isNegative = seconds.startsWith('-');
  const [whole, decimals = ''] = (isNegative ? seconds.slice(1) : seconds).split('.');
  const all = BigInt(whole!) * second + BigInt(decimals.slice(0, 9).padEnd(9, '0'));
  return isNegative ? -all : all;
}
