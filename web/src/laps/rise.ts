import type { Bounds } from '../lines/bounds.ts';

/** The way from the least place on. Times are ns since any one time. */
export interface Rise {
  /** The least place. */
  readonly begin: number;
  /** When a place was reached, between rows on the straight line; undefined where it was not, and in a gap. */
  sinceAt(place: number): number | undefined;
  /** From when to when it was within bounds; undefined: never. */
  insideOf(bounds: Bounds): readonly [number, number] | undefined;
}

/** A course that falls by more than this share of what it rises is no way that is covered: times are not compared along it. */
const mostFall = 0.01;

/** The way from the least place on, where a course is one: distance, not speed. */
export function riseOf(times: Float64Array, places: readonly number[], gaps: Uint8Array): Rise | undefined {
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
  const sinceAt = (place: number): number | undefined => {
    const next = firstAtOrAbove(sorted, place);
    if (sorted[next] === place) return ownTimes[next];
    if (next === 0 || next === sorted.length || ownGaps[next]) return undefined;
    const share = (place - sorted[next - 1]!) / (sorted[next]! - sorted[next - 1]!);
    return ownTimes[next - 1]! + share * (ownTimes[next]! - ownTimes[next - 1]!);
  };
  return {
    begin: ownPlaces[0]!,
    sinceAt,
    insideOf([low, high]) {
      // Where an end is not known, from or to the row that is next to it.
      const from = sinceAt(low) ?? ownTimes[firstAtOrAbove(sorted, low)];
      const to = sinceAt(high) ?? ownTimes[firstAtOrAbove(sorted, high) - 1];
      return from === undefined || to === undefined || from > to ? undefined : [from, to];
    },
  };
}

/** The first place in order that is not less than a value; their number where all are less. */
export function firstAtOrAbove(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
