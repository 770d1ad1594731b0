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
  /** The earliest time that points were added at since it was asked for last; infinite where none were. */
  takeChanged(): number;
  /** Views of what is there, good until the next change. */
  points(): { readonly times: Float64Array; readonly values: Float64Array };
}

const firstCapacity = 1024;

export function createLine(): Line {
  let times = new Float64Array(firstCapacity);
  let values = new Float64Array(firstCapacity);
  let start = 0;
  let end = 0;
  let changed = Number.POSITIVE_INFINITY;

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
      changed = Math.min(changed, first!);
      if (end === start || first! >= times[end - 1]!) {
        for (let i = 0; i < newTimes.length; i++) append(newTimes[i]!, newValues[i]!);
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
    takeChanged() {
      const since = changed;
      changed = Number.POSITIVE_INFINITY;
      return since;
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

/** Adds a column of rows in any order, without those after a time. */
export function addColumn(
  line: Line,
  times: readonly number[],
  column: readonly (number | null)[],
  until = Number.POSITIVE_INFINITY,
): void {
  if (isWhole(times, column) && times.at(-1)! <= until) {
    line.add(times, column);
    return;
  }
  const rows = column.flatMap((value, row) => (value === null || times[row]! > until ? [] : [row]));
  rows.sort((a, b) => times[a]! - times[b]!);
  line.add(
    rows.map((row) => times[row]!),
    rows.map((row) => column[row]!),
  );
}

/** Whether each row has a value, and they are in order of time. */
function isWhole(times: readonly number[], column: readonly (number | null)[]): column is readonly number[] {
  for (let row = 0; row < column.length; row++)
    if (column[row] === null || (row > 0 && times[row]! < times[row - 1]!)) return false;
  return true;
}
