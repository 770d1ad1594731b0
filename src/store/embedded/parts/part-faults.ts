import { DamagedError } from '../files/damage.ts';
import type { PartRecord } from './part-record.ts';
import { partName } from './part-set.ts';

/**
 * Parts that could not be merged or cleaned. Damage is for good; whatever else went wrong may pass, so it is tried again
 * after a pause that grows with each time.
 */
export interface PartFaults {
  /** Numbers of the parts that are to be left alone now. */
  excluded(): ReadonlySet<number>;
  /** Notes what work on some parts failed with, and gives those of them that are left alone for it. */
  add(parts: readonly PartRecord[], error: unknown): NotedFault;
}

export interface NotedFault {
  readonly numbers: readonly number[];
  readonly isFinal: boolean;
  /** False where the same parts have failed before. */
  readonly isNews: boolean;
}

const firstPauseMs = 60_000;
const longestPauseMs = 3_600_000;

interface Fault {
  readonly until: number;
  readonly pauseMs: number;
}

/** @param now milliseconds of a clock that never goes back */
export function partFaults(now: () => number): PartFaults {
  const faults = new Map<number, Fault>();
  return {
    excluded() {
      const time = now();
      const numbers = new Set<number>();
      for (const [number, { until }] of faults) if (until > time) numbers.add(number);
      return numbers;
    },
    add(parts, error) {
      const isFinal = error instanceof DamagedError;
      const numbers = (isFinal ? damagedOf(parts, error) : parts).map(({ number }) => number);
      const isNews = isFinal || numbers.some((number) => !faults.has(number));
      for (const number of numbers) {
        const pauseMs = Math.min(2 * (faults.get(number)?.pauseMs ?? firstPauseMs / 2), longestPauseMs);
        faults.set(number, { until: isFinal ? Number.POSITIVE_INFINITY : now() + pauseMs, pauseMs });
      }
      return { numbers, isFinal, isNews };
    },
  };
}

/** The part that the error names; the others may be merged without it. */
function damagedOf(parts: readonly PartRecord[], { file }: DamagedError): readonly PartRecord[] {
  const named = parts.filter(({ number }) => file.endsWith(partName(number)));
  return named.length === 0 ? parts : named;
}
