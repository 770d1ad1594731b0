import { isStream } from '../state/same-stream.ts';
import type { LapRow } from './lap-rows.ts';

/** A lap with the seconds from its begin at which each of its sectors ended; the last one ends at the line. */
export interface SplitLap {
  readonly lap: LapRow;
  /** Undefined where it is not known: no row is near, or the lap does not go there. */
  readonly ends: readonly (number | undefined)[];
  /** Of each end that is not known, why. */
  readonly whyNoEnd?: readonly (string | undefined)[];
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

/** Why the time of a sector is not known; undefined where nobody said. */
export function whyNoTime({ lap, ends, whyNot, whyNoEnd }: SplitLap, sector: number): string | undefined {
  const missing = sector > 0 && ends[sector - 1] === undefined ? sector - 1 : sector;
  return whyNot ?? whyNoEnd?.[missing] ?? lap.whyNotWhole;
}

/** The fastest time of a sector. */
export interface BestSector {
  readonly seconds: number;
  readonly lap: LapRow;
  /** Whether another lap has a time there, too. */
  readonly isOfSeveral: boolean;
}

/** That of each sector over laps; undefined where none is known. */
export function bestSectors(laps: readonly SplitLap[], sectors: number): (BestSector | undefined)[] {
  return Array.from({ length: sectors }, (_, i) => {
    const known = laps.flatMap((own) => {
      const seconds = timesOf(own)[i];
      return seconds === undefined ? [] : [{ seconds, lap: own.lap }];
    });
    const [first, ...others] = known;
    if (first === undefined) return undefined;
    const best = others.reduce((least, own) => (own.seconds < least.seconds ? own : least), first);
    return { ...best, isOfSeveral: others.length > 0 };
  });
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
