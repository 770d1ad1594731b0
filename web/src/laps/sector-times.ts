import { isStream } from '../state/same-stream.ts';
import type { LapRow } from './lap-rows.ts';

/** A lap with the seconds from its begin at which each of its sectors ended; the last one ends at the line. */
export interface SplitLap {
  readonly lap: LapRow;
  /** Undefined where it is not known: no row is near, or the lap does not go there. */
  readonly ends: readonly (number | undefined)[];
  /** Why no sector of it is told, where beacons are missing. */
  readonly whyNot?: string;
}

/** How long each sector took, seconds. */
export function timesOf({ ends }: SplitLap): (number | undefined)[] {
  return ends.map((end, i) => {
    const begin = i === 0 ? 0 : ends[i - 1];
    return end === undefined || begin === undefined ? undefined : end - begin;
  });
}

/** The least time of each sector over laps; undefined where none is known. */
export function bestTimes(laps: readonly SplitLap[], sectors: number): (number | undefined)[] {
  const all = laps.map(timesOf);
  return Array.from({ length: sectors }, (_, i) =>
    least(all.flatMap((times) => (times[i] === undefined ? [] : [times[i]!]))),
  );
}

/** All of them together; undefined where one is missing. */
export function totalOf(times: readonly (number | undefined)[]): number | undefined {
  let sum = 0;
  for (const time of times) {
    if (time === undefined) return undefined;
    sum += time;
  }
  return times.length === 0 ? undefined : sum;
}

/** Sectors in a row that make a whole lap, from any of them on. */
export interface RollingLap {
  readonly seconds: number;
  /** The lap in which it begins. */
  readonly lap: LapRow;
  /** The first sector, from 0 on. */
  readonly from: number;
}

/** The fastest of them, over laps in order; undefined where none is whole. */
export function rollingBest(laps: readonly SplitLap[], sectors: number): RollingLap | undefined {
  let best: RollingLap | undefined;
  for (const [i, own] of laps.entries()) {
    const next = laps[i + 1];
    const goesOn = next !== undefined && isStream(next.lap.stream, own.lap.stream);
    const times = [...timesOf(own), ...(goesOn ? timesOf(next) : [])];
    for (let from = 0; from < sectors && from + sectors <= times.length; from++) {
      const seconds = totalOf(times.slice(from, from + sectors));
      if (seconds === undefined || (best !== undefined && seconds >= best.seconds)) continue;
      best = { seconds, lap: own.lap, from };
    }
  }
  return best;
}

function least(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.min(...values);
}
