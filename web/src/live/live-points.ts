import { gapsOf } from '../lines/gaps.ts';
import { type Points, spanOf } from '../lines/points.ts';
import type { TimeRange } from '../state/view-text.ts';
import type { Envelope } from './envelope.ts';
import type { Line } from './line.ts';

/** A line, its buckets, and the longest silence that is no gap. */
export interface LineParts {
  readonly line: Line;
  readonly envelope: (bucket: number) => Envelope;
  readonly widest: () => number;
}

/** A point for each row. */
export function rowPoints({ line, widest }: LineParts, base: bigint): Points {
  const { times, values } = line.points();
  // The line goes on to change its own.
  const own = times.slice();
  const low = values.slice();
  return {
    x: own.map((time) => time / 1e9),
    low,
    high: low,
    gaps: gapsOf(own, widest()),
    bucket: undefined,
    rows: () => 1,
    span: (point) => {
      const time = base + BigInt(own[point]!);
      return { from: time, to: time };
    },
  };
}

/** A point for each bucket that has rows. */
export function bucketPoints(
  { envelope, widest }: LineParts,
  base: bigint,
  bucket: number,
  range: TimeRange,
): Points {
  const { starts, low, high, counts, before } = envelope(bucket);
  const longest = widest();
  return {
    x: starts.map((start) => (start + bucket / 2) / 1e9),
    low,
    high,
    gaps: Uint8Array.from(before, (silence) => (silence > longest ? 1 : 0)),
    bucket: BigInt(bucket),
    rows: (point) => counts[point]!,
    span: (point) => spanOf(base + BigInt(starts[point]!), BigInt(bucket), range),
  };
}
