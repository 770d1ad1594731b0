/**
 * Points of one line in order of time, the newest at the end, in arrays that grow: times in nanoseconds since a base that
 * the caller knows, exact for 104 days around it.
 */
export interface Line {
  /** Points in order of time; one at a time that is there already takes its place. */
  add(times: readonly number[], values: readonly number[]): void;
  /** Lets go of points before a time. */
  trim(from: number): void;
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
    trim(from) {
      while (start < end && times[start]! < from) start++;
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

/**
 * The smallest and the largest value per bucket, two points at its middle: a line never loses a peak. Buckets are aligned
 * to the base, so that the picture stays still while it moves.
 */
export function envelope(
  { times, values }: { readonly times: Float64Array; readonly values: Float64Array },
  bucket: number,
): { times: number[]; values: number[] } {
  const found = { times: [] as number[], values: [] as number[] };
  let index = Number.NaN;
  for (let i = 0; i < times.length; i++) {
    const value = values[i]!;
    const own = Math.floor(times[i]! / bucket);
    const last = found.values.length - 1;
    if (own !== index) {
      index = own;
      const middle = (own + 0.5) * bucket;
      found.times.push(middle, middle);
      found.values.push(value, value);
    } else if (value < found.values[last - 1]!) found.values[last - 1] = value;
    else if (value > found.values[last]!) found.values[last] = value;
  }
  return found;
}
