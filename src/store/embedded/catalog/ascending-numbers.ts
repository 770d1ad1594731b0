import type { Steps } from '../../../turns/steps.ts';
import { streamsOfStep } from './one-moment.ts';

/** Collects numbers of streams, and gives them in ascending order, in which they come as a rule. */
export interface AscendingNumbers {
  readonly add: (number: number) => void;
  /** Each once. */
  all(): Steps<Uint32Array<ArrayBuffer>>;
}

export function ascendingNumbers(): AscendingNumbers {
  let numbers = new Uint32Array(16);
  let count = 0;
  let last = 0;
  let isAscending = true;
  return {
    add(number) {
      if (count === numbers.length) {
        const larger = new Uint32Array(2 * count);
        larger.set(numbers);
        numbers = larger;
      }
      numbers[count++] = number;
      if (number <= last) isAscending = false;
      if (number > last) last = number;
    },
    *all() {
      if (isAscending) return numbers.subarray(0, count);
      // Sorting a million takes longer than a mark for each number that there may be.
      const marks = new Uint8Array(last + 1);
      for (let i = 0; i < count; i++) {
        marks[numbers[i]!] = 1;
        if ((i + 1) % (16 * streamsOfStep) === 0) yield;
      }
      let at = 0;
      for (let number = 0; number <= last; number++) {
        if (marks[number] === 1) numbers[at++] = number;
        if ((number + 1) % (16 * streamsOfStep) === 0) yield;
      }
      return numbers.subarray(0, at);
    },
  };
}
