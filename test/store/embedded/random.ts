import { randomBudgetMs } from '../../extent.ts';

/** A seeded source of chance (mulberry32): the same seed gives the same run. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number in [from, to]. */
  int(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly T[]): T;
  bytes(count: number): Uint8Array;
}

export function seededRandom(seed: number): Random {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (choices) => choices[int(0, choices.length - 1)]!,
    bytes: (count) => Uint8Array.from({ length: count }, () => int(0, 255)),
  };
}

/**
 * Runs `body` with each seed, in `npm test` with as many as it has processor time for, one at least; one that fails is named, so
 * that it can be run alone.
 */
export async function forSeeds(
  first: number,
  count: number,
  body: (random: Random, seed: number) => Promise<void>,
): Promise<void> {
  const start = processorMs();
  for (let seed = first; seed < first + count; seed++) {
    if (seed > first && processorMs() - start > randomBudgetMs) return;
    try {
      await body(seededRandom(seed), seed);
    } catch (error) {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
    }
  }
}

/** Of this process, with all its threads. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
