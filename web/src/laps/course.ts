import type { Bounds } from '../lines/bounds.ts';
import { gapsOf } from '../lines/gaps.ts';
import type { TimeRange } from '../state/view-text.ts';

/** Where a lap, or whatever is compared, is at which time. Places are numbers on the axis that all are laid over. */
export interface Course {
  /** Between two rows on the straight line; undefined outside of them and in a gap. */
  placeAt(time: bigint): number | undefined;
  /** When a place was reached, in seconds from any one time on; undefined where it was not. */
  secondsAt?(place: number): number | undefined;
  /** The least place that `secondsAt` knows. */
  readonly begin: number;
  /** From when to when places within bounds are, the rows before and behind included; undefined: never. */
  spanOf(bounds: Bounds): TimeRange | undefined;
  /** Whether it goes one way, so that a place is reached once. */
  readonly isOneWay: boolean;
  /** Whether it was made of rows; else of means over a while. */
  readonly isExact: boolean;
}

/** Places are seconds since a time. */
export function clockCourse(start: bigint): Course {
  const timeOf = (seconds: number) => start + BigInt(Math.round(seconds * 1e9));
  return {
    placeAt: (time) => Number(time - start) / 1e9,
    begin: 0,
    isOneWay: true,
    spanOf: ([from, to]) => ({ from: timeOf(from), to: timeOf(to) }),
    isExact: true,
  };
}

/** Places are values of a parameter, such as distance, at times in order. */
export function parameterCourse(
  times: readonly bigint[],
  places: readonly number[],
  isExact: boolean,
): Course {
  const start = times[0] ?? 0n;
  const since = Float64Array.from(times, (time) => Number(time - start));
  const gaps = gapsOf(since);
  const rise = riseOf(since, places, gaps);
  return {
    placeAt(time) {
      const at = Number(time - start);
      const next = firstAtOrAbove(since, at);
      if (since[next] === at) return places[next];
      if (next === 0 || next === since.length || gaps[next] === 1) return undefined;
      const share = (at - since[next - 1]!) / (since[next]! - since[next - 1]!);
      return places[next - 1]! + share * (places[next]! - places[next - 1]!);
    },
    ...(rise !== undefined && { secondsAt: rise.secondsAt }),
    begin: rise?.begin ?? 0,
    isOneWay: rise !== undefined,
    spanOf([low, high]) {
      let first = -1;
      let last = -1;
      for (let i = 1; i < places.length; i++) {
        const [a, b] = [places[i - 1]!, places[i]!];
        if (Math.max(a, b) < low || Math.min(a, b) > high) continue;
        if (first < 0) first = i - 1;
        last = i;
      }
      return first < 0 ? undefined : { from: times[first]!, to: times[last]! };
    },
    isExact,
  };
}

/** A course that falls by more than this share of what it rises is no way that is covered: times are not compared along it. */
const mostFall = 0.01;

/** The way from the least place on, where a course is one: distance, not speed. */
function riseOf(times: Float64Array, places: readonly number[], gaps: Uint8Array) {
  const begin = places.reduce((least, place, i) => (place < places[least]! ? i : least), 0);
  // The rows of one lap may begin with the last place of the one before.
  const [ownTimes, ownPlaces, ownGaps]: [number[], number[], boolean[]] = [[], [], []];
  let fall = 0;
  let isGap = false;
  for (let i = begin; i < places.length; i++) {
    const highest = ownPlaces.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (i > begin) fall += Math.max(0, places[i - 1]! - places[i]!);
    if (i > begin && gaps[i] === 1) isGap = true;
    if (!(places[i]! > highest)) continue;
    ownTimes.push(times[i]!);
    ownPlaces.push(places[i]!);
    ownGaps.push(isGap);
    isGap = false;
  }
  if (ownPlaces.length < 2 || fall > mostFall * (ownPlaces.at(-1)! - ownPlaces[0]!)) return undefined;
  const sorted = Float64Array.from(ownPlaces);
  return {
    begin: ownPlaces[0]!,
    secondsAt(place: number): number | undefined {
      const next = firstAtOrAbove(sorted, place);
      if (sorted[next] === place) return ownTimes[next]! / 1e9;
      if (next === 0 || next === sorted.length || ownGaps[next]) return undefined;
      const share = (place - sorted[next - 1]!) / (sorted[next]! - sorted[next - 1]!);
      return (ownTimes[next - 1]! + share * (ownTimes[next]! - ownTimes[next - 1]!)) / 1e9;
    },
  };
}

function firstAtOrAbove(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
