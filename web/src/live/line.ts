/**
 * Points of one line in order of time, the newest at the end, in arrays that grow: times in nanoseconds since a base that
 * the caller knows, exact for 104 days around it.
 */
export interface Line {
  /** Points in order of time; one at a time that is there already takes its place. */
  add(times: readonly number[], values: readonly number[]): void;
  /** Lets go of points before a time; `isHeld`: but for the last of them, which holds at that time. */
  trim(from: number, isHeld?: boolean): void;
  readonly length: number;
  readonly newest: number | undefined;
  /** Views of what is there, good until the next change. */
  points(): { readonly times: Float64Array; readonly values: Float64Array };
}

const firstCapacity = 1024;

export function createLine(): Line {
  let times = new Float64Array(firstCapacity);
  let values = new Float64Array(firstCapacity);
  let start = 0;
  let end = 0;

  /** Makes room at the end: by closing the gap that trimming left, or by growing. */
  const makeRoom = (count: number): void => {
    if (end + count <= times.length) return;
    const length = end - start;
    const capacity =
      length + count > times.length / 2 ? Math.max(times.length * 2, length + count) : times.length;
    const [newTimes, newValues] = [new Float64Array(capacity), new Float64Array(capacity)];
    newTimes.set(times.subarray(start, end));
    newValues.set(values.subarray(start, end));
    [times, values, start, end] = [newTimes, newValues, 0, length];
  };

  const append = (time: number, value: number): void => {
    if (end > start && times[end - 1] === time) end--;
    times[end] = time;
    values[end] = value;
    end++;
  };

  return {
    add(newTimes, newValues) {
      if (newTimes.length === 0) return;
      makeRoom(newTimes.length);
      const [first] = newTimes;
      if (end === start || first! >= times[end - 1]!) {
        for (const [i, time] of newTimes.entries()) append(time, newValues[i]!);
        return;
      }
      // What comes late is merged with the points behind its first one, which are few as a rule.
      let place = end;
      while (place > start && times[place - 1]! >= first!) place--;
      const [laterTimes, laterValues] = [times.slice(place, end), values.slice(place, end)];
      end = place;
      let next = 0;
      for (const [i, time] of newTimes.entries()) {
        for (; next < laterTimes.length && laterTimes[next]! <= time; next++)
          append(laterTimes[next]!, laterValues[next]!);
        append(time, newValues[i]!);
      }
      for (; next < laterTimes.length; next++) append(laterTimes[next]!, laterValues[next]!);
    },
    trim(from, isHeld = false) {
      const kept = isHeld ? 1 : 0;
      while (start + kept < end && times[start + kept]! < from) start++;
    },
    get length() {
      return end - start;
    },
    get newest() {
      return end > start ? times[end - 1] : undefined;
    },
    points: () => ({ times: times.subarray(start, end), values: values.subarray(start, end) }),
  };
}

/** Points of a line put together, `start` to `start + bucket` each, in the units of the line. */
export interface Envelope {
  readonly starts: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly counts: Uint32Array;
  /** 1 where a gap of the line lies before the first point of a bucket. */
  readonly gaps: Uint8Array;
}

/**
 * The smallest and the largest value per bucket: a line never loses a peak. Buckets are aligned to the base, so that the
 * picture stays still while it moves. `gaps` are those before the points of the line.
 */
export function envelope(
  { times, values }: { readonly times: Float64Array; readonly values: Float64Array },
  gaps: Uint8Array,
  bucket: number,
): Envelope {
  const { length } = times;
  const span = length === 0 ? 0 : times[length - 1]! - times[0]!;
  const most = Math.min(length, Math.floor(span / bucket) + 2);
  const starts = new Float64Array(most);
  const low = new Float64Array(most);
  const high = new Float64Array(most);
  const counts = new Uint32Array(most);
  const firstGaps = new Uint8Array(most);
  let found = 0;
  for (let i = 0; i < length; found++) {
    const start = Math.floor(times[i]! / bucket) * bucket;
    const begin = i;
    let least = values[i]!;
    let largest = least;
    for (i++; i < length && times[i]! < start + bucket; i++) {
      const value = values[i]!;
      // NaN is less than no number.
      if (!(value >= least) && !Number.isNaN(value)) least = value;
      if (!(value <= largest) && !Number.isNaN(value)) largest = value;
    }
    starts[found] = start;
    low[found] = least;
    high[found] = largest;
    counts[found] = i - begin;
    firstGaps[found] = gaps[begin]!;
  }
  return {
    starts: starts.subarray(0, found),
    low: low.subarray(0, found),
    high: high.subarray(0, found),
    counts: counts.subarray(0, found),
    gaps: firstGaps.subarray(0, found),
  };
}
