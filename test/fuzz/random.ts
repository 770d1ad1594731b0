/** Random numbers that a seed determines. */
export interface Random {
  /** Begins anew: the same seed gives the same numbers. */
  seed(seed: number): void;
  /** A whole number from 0 to `limit - 1`. */
  below(limit: number): number;
  /** True once in `times`. */
  once(times: number): boolean;
  pick<Value>(list: readonly Value[]): Value;
}

/** The generator is mulberry32: one word of state, and seeds that follow each other give unrelated numbers. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (limit: number): number => Math.floor((next() / 2 ** 32) * limit);
  return {
    seed(given) {
      state = given >>> 0;
    },
    below,
    once: (times) => below(times) === 0,
    pick: (list) => list[below(list.length)]!,
  };
}

/** Random choices about an input that depend on nothing but its bytes. */
export function randomOf(input: Uint8Array): Random {
  let hash = 0x811c9dc5;
  for (const byte of input) hash = Math.imul(hash ^ byte, 0x01000193);
  return createRandom(hash);
}
