/** Silence is a gap where it is longer than so many usual spacings of rows. */
export const gapSpacings = 5;

/** So many spacings tell which one is usual. */
const sampleSize = 1000;

/** Sums of doubles are a little off: exactly five spacings are no gap. */
const tolerance = 1 + 1e-9;

/** The longest silence between these times that is no gap. They are in order, in any unit. */
export function widestSpacing(times: ArrayLike<number>): number {
  return gapSpacings * usualSpacing(times) * tolerance;
}

/** Per time, 1 where a gap lies before it. */
export function gapsOf(times: ArrayLike<number>, widest = widestSpacing(times)): Uint8Array {
  const gaps = new Uint8Array(times.length);
  for (let i = 1; i < times.length; i++) if (times[i]! - times[i - 1]! > widest) gaps[i] = 1;
  return gaps;
}

/**
 * The same for buckets that have rows: a gap is where the last row of one and the first row of the next are surely too far
 * from each other. `starts` and `bucket` are in one unit, `counts` are rows.
 */
export function bucketGaps(starts: ArrayLike<number>, counts: ArrayLike<number>, bucket: number): Uint8Array {
  const spacings = new Float64Array(Math.max(0, starts.length - 1));
  for (let i = 0; i < spacings.length; i++) spacings[i] = (starts[i + 1]! - starts[i]!) / counts[i]!;
  const widest = gapSpacings * median(spacings) * tolerance;
  const gaps = new Uint8Array(starts.length);
  for (let i = 1; i < starts.length; i++) if (starts[i]! - starts[i - 1]! - bucket > widest) gaps[i] = 1;
  return gaps;
}

/** The median distance of times that differ; infinite where none do. Of many times a sample tells it. */
export function usualSpacing(times: ArrayLike<number>): number {
  const pairs = times.length - 1;
  const count = Math.min(pairs, sampleSize);
  const spacings: number[] = [];
  for (let sample = 0; sample < count; sample++) {
    // Steps of the golden ratio fall evenly, and into step with nothing that repeats.
    const pair = pairs <= sampleSize ? sample : Math.floor(((sample * goldenRatio) % 1) * pairs);
    const spacing = times[pair + 1]! - times[pair]!;
    if (spacing > 0) spacings.push(spacing);
  }
  return median(Float64Array.from(spacings));
}

const goldenRatio = (Math.sqrt(5) - 1) / 2;

/** The lower one of two in the middle. */
function median(values: Float64Array): number {
  if (values.length === 0) return Number.POSITIVE_INFINITY;
  return values.toSorted()[(values.length - 1) >> 1]!;
}
