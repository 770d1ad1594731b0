import type { Line } from './line.ts';

/** Points of a line put together, `start` to `start + bucket` each, in the units of the line. */
export interface Envelope {
  readonly starts: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly counts: Uint32Array;
  /** How long before the first point of a bucket the point before it is; 0 where there is none. */
  readonly before: Float64Array;
}

interface LinePoints {
  readonly times: Float64Array;
  readonly values: Float64Array;
}

/**
 * The smallest and the largest value per bucket, of points from one to another: a line never loses a peak. Buckets are
 * aligned to the base, so that the picture stays still while it moves.
 */
export function envelope(
  { times, values }: LinePoints,
  bucket: number,
  begin = 0,
  end = times.length,
): Envelope {
  const span = begin >= end ? 0 : times[end - 1]! - times[begin]!;
  const most = Math.min(Math.max(0, end - begin), Math.floor(span / bucket) + 2);
  const starts = new Float64Array(most);
  const low = new Float64Array(most);
  const high = new Float64Array(most);
  const counts = new Uint32Array(most);
  const before = new Float64Array(most);
  let found = 0;
  for (let i = begin; i < end; found++) {
    const start = startOf(times[i]!, bucket);
    const first = i;
    let least = values[i]!;
    let largest = least;
    for (i++; i < end && times[i]! < start + bucket; i++) {
      const value = values[i]!;
      // NaN is less than no number.
      if (!(value >= least) && !Number.isNaN(value)) least = value;
      if (!(value <= largest) && !Number.isNaN(value)) largest = value;
    }
    starts[found] = start;
    low[found] = least;
    high[found] = largest;
    counts[found] = i - first;
    before[found] = first === 0 ? 0 : times[first]! - times[first - 1]!;
  }
  return part({ starts, low, high, counts, before }, 0, found);
}

/**
 * The same of a line that grows: only buckets that points came to, and the first one, which trimming cuts, are put together
 * anew. It takes the changes of the line.
 */
export function growingEnvelope(line: Line): (bucket: number) => Envelope {
  let kept: { readonly bucket: number; readonly all: Envelope } | undefined;
  return (bucket) => {
    const changed = line.takeChanged();
    const all = grown(line, bucket, changed, kept?.bucket === bucket ? kept.all : undefined);
    kept = { bucket, all };
    return all;
  };
}

function grown(line: Line, bucket: number, changed: number, kept: Envelope | undefined): Envelope {
  const points = line.points();
  const { times } = points;
  if (kept === undefined || times.length === 0) return envelope(points, bucket);
  const { starts } = kept;
  const from = placeOf(starts, startOf(times[0]!, bucket) + bucket);
  const to = changed === Number.POSITIVE_INFINITY ? starts.length : placeOf(starts, startOf(changed, bucket));
  if (from >= to) return envelope(points, bucket);
  const head = envelope(points, bucket, 0, placeOf(times, starts[from]!));
  const tail = envelope(points, bucket, placeOf(times, starts[to - 1]! + bucket));
  const parts = [head, part(kept, from, to), tail];
  const numbers = (name: 'starts' | 'low' | 'high' | 'before') =>
    joined(
      parts.map((own) => own[name]),
      (length) => new Float64Array(length),
    );
  return {
    starts: numbers('starts'),
    low: numbers('low'),
    high: numbers('high'),
    before: numbers('before'),
    counts: joined(
      parts.map((own) => own.counts),
      (length) => new Uint32Array(length),
    ),
  };
}

function startOf(time: number, bucket: number): number {
  return Math.floor(time / bucket) * bucket;
}

/** The place of the first value that is not below another one, in values in order. */
function placeOf(values: Float64Array, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function part({ starts, low, high, counts, before }: Envelope, begin: number, end: number): Envelope {
  return {
    starts: starts.subarray(begin, end),
    low: low.subarray(begin, end),
    high: high.subarray(begin, end),
    counts: counts.subarray(begin, end),
    before: before.subarray(begin, end),
  };
}

function joined<Numbers extends Float64Array | Uint32Array>(
  parts: readonly Numbers[],
  make: (length: number) => Numbers,
): Numbers {
  const all = make(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const own of parts) {
    all.set(own, at);
    at += own.length;
  }
  return all;
}
