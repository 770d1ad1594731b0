/** A set of numbers of streams, dense or sparse: a bit for each, for of a million at a time a Set takes tens of megabytes. */
export interface NumberMarks {
  add(number: number): void;
  has(number: number): boolean;
  /** In ascending order. */
  [Symbol.iterator](): Iterator<number>;
}

export function numberMarks(): NumberMarks {
  let words = new Uint32Array(32);
  return {
    add(number) {
      const word = number >>> 5;
      if (word >= words.length) {
        const larger = new Uint32Array(2 * word);
        larger.set(words);
        words = larger;
      }
      words[word]! |= 1 << (number & 31);
    },
    has: (number) => ((words[number >>> 5] ?? 0) & (1 << (number & 31))) !== 0,
    *[Symbol.iterator]() {
      for (let word = 0; word < words.length; word++) {
        for (let left = words[word]!; left !== 0; left &= left - 1) {
          // The number of the lowest bit.
          yield 32 * word + 31 - Math.clz32(left & -left);
        }
      }
    },
  };
}
