import type { Rows } from '../domain/parameter-data.ts';
import { compareTagSets } from '../domain/tags.ts';
import type { Steps } from '../turns/steps.ts';

/** The rows that are compared, or copied, in one step. */
const step = 4096;

/** Rows in order. */
interface TimeOrder {
  /** In order of time, then tags; of equal ones the last, as in the store. Undefined where these are all rows, as they stand. */
  readonly order: Uint32Array | undefined;
  /** How many are after the last. */
  readonly after: number;
}

/**
 * The rows from one offset to another, inclusive. Stops after each fraction of a millisecond.
 */
export function* timeOrder(
  { count, offsets, tagSets, tagIndex }: Rows,
  first: number,
  last: number,
): Steps<TimeOrder> {
  const compare = (a: number, b: number): number =>
    offsets[a]! - offsets[b]! || compareTagSets(tagSets[tagIndex?.[a] ?? 0]!, tagSets[tagIndex?.[b] ?? 0]!);
  let isOrdered = count === 0 || (offsets[0]! >= first && offsets[count - 1]! <= last);
  for (let row = 1; row < count && isOrdered; row++) {
    isOrdered = compare(row - 1, row) < 0;
    if (row % step === 0) yield;
  }
  if (isOrdered) return { order: undefined, after: 0 };
  let sorted = new Uint32Array(count);
  let length = 0;
  let after = 0;
  for (let row = 0; row < count; row++) {
    if (offsets[row]! > last) after++;
    else if (offsets[row]! >= first) sorted[length++] = row;
  }
  sorted = sorted.subarray(0, length);
  let other = new Uint32Array(length);
  // Runs of growing width are merged, so that it can stop anywhere.
  for (let width = 1; width < length; width *= 2) {
    for (let begin = 0; begin < length; begin += 2 * width) {
      const middle = Math.min(begin + width, length);
      const end = Math.min(begin + 2 * width, length);
      let left = begin;
      let right = middle;
      for (let to = begin; to < end; to++) {
        const takesLeft = left < middle && (right >= end || compare(sorted[left]!, sorted[right]!) <= 0);
        other[to] = takesLeft ? sorted[left++]! : sorted[right++]!;
        if (to % step === 0) yield;
      }
    }
    [sorted, other] = [other, sorted];
  }
  let kept = 0;
  for (let i = 0; i < length; i++) {
    if (i + 1 < length && compare(sorted[i]!, sorted[i + 1]!) === 0) continue;
    sorted[kept++] = sorted[i]!;
  }
  return { order: sorted.subarray(0, kept), after };
}
