import type { Bounds } from '../lines/bounds.ts';
import { gapsOf } from '../lines/gaps.ts';
import type { TimeRange } from '../state/view-text.ts';
import { firstAtOrAbove, riseOf } from './rise.ts';

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
  /** Whether it is known when a place was reached: it was, once, and not in a gap. */
  isReached(place: number): boolean;
  /** The time within bounds: from one to the other, or as far as it goes; undefined: never, or it is not one way. */
  insideOf(bounds: Bounds): TimeRange | undefined;
  /** Whether it goes one way, so that a place is reached once. */
  readonly isOneWay: boolean;
  /** Whether it was made of rows; else of means over a while. */
  readonly isExact: boolean;
}

/** Places are seconds since a time; `own` has the first and the last row. */
export function clockCourse(start: bigint, own: TimeRange): Course {
  const timeOf = (seconds: number) => start + BigInt(Math.round(seconds * 1e9));
  const spanOf = ([from, to]: Bounds) => ({ from: timeOf(from), to: timeOf(to) });
  return {
    placeAt: (time) => Number(time - start) / 1e9,
    begin: 0,
    isOneWay: true,
    spanOf,
    isReached(place) {
      const time = timeOf(place);
      return own.from <= time && time <= own.to;
    },
    insideOf: spanOf,
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
    ...(rise !== undefined && {
      secondsAt(place: number): number | undefined {
        const since = rise.sinceAt(place);
        return since === undefined ? undefined : since / 1e9;
      },
    }),
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
    isReached: (place) => rise?.sinceAt(place) !== undefined,
    insideOf(bounds) {
      const [from, to] = (rise?.insideOf(bounds) ?? []).map((since) => start + BigInt(Math.round(since)));
      return from === undefined || to === undefined ? undefined : { from, to };
    },
    isExact,
  };
}
