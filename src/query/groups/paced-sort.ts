import type { Pace } from '../../turns/pace.ts';
import type { Steps } from '../../turns/steps.ts';

/** Steps between two calls of the pace: well below a millisecond of work. */
const stepsBetweenPauses = 8192;

/**
 * Gives the order of the rows 0 to `count` - 1; equal rows keep theirs. A merge sort that begins with the runs that are
 * in order already, so nearly sorted rows take one pass. Many rows give up the thread on the way, few do not.
 */
export function sortRows(
  count: number,
  compare: (a: number, b: number) => number,
  pace: Pace,
): Uint32Array | Promise<Uint32Array> {
  const rows = new Uint32Array(count);
  for (let row = 0; row < count; row++) rows[row] = row;
  if (count > fewRows) return sortMany(rows, compare, pace);
  return isSorted(count, compare) ? rows : rows.sort(compare);
}

/** The rows that are sorted in one go, well below a millisecond. */
const fewRows = 512;

function isSorted(count: number, compare: (a: number, b: number) => number): boolean {
  for (let row = 1; row < count; row++) if (compare(row - 1, row) > 0) return false;
  return true;
}

async function sortMany(
  rows: Uint32Array<ArrayBuffer>,
  compare: (a: number, b: number) => number,
  pace: Pace,
): Promise<Uint32Array> {
  const steps = mergeSort(rows, compare);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const turn = pace();
    if (turn !== undefined) await turn;
  }
}

/** Sorts as `sortRows` does, in steps, for whoever rests at each step by himself. */
export function sortInSteps(count: number, compare: (a: number, b: number) => number): Steps<Uint32Array> {
  const rows = new Uint32Array(count);
  for (let row = 0; row < count; row++) rows[row] = row;
  return mergeSort(rows, compare);
}

function* mergeSort(
  rows: Uint32Array<ArrayBuffer>,
  compare: (a: number, b: number) => number,
): Steps<Uint32Array> {
  const count = rows.length;
  let source = rows;
  let bounds = [0];
  for (let row = 1; row < count; row++) {
    if (compare(row - 1, row) > 0) bounds.push(row);
    if (row % stepsBetweenPauses === 0) yield;
  }
  bounds.push(count);
  let target = bounds.length > 2 ? new Uint32Array(count) : source;
  while (bounds.length > 2) {
    const merged = [0];
    for (let run = 0; run + 1 < bounds.length; run += 2) {
      const middle = bounds[run + 1]!;
      const end = bounds[run + 2] ?? middle;
      const at = { left: bounds[run]!, right: middle, middle, end };
      for (let from = bounds[run]!; from < end; from += stepsBetweenPauses) {
        mergeRows(source, target, at, from, from + stepsBetweenPauses, compare);
        if (count > fewRows) yield;
      }
      merged.push(end);
    }
    bounds = merged;
    [source, target] = [target, source];
  }
  return source;
}

/** Two runs of a list that become one. */
interface MergedRuns {
  /** What of each is merged next. */
  left: number;
  right: number;
  /** Where the first ends and the second begins. */
  readonly middle: number;
  /** Where the second ends. */
  readonly end: number;
}

/** Fills `target` from `from` on from two runs of `source`, until there or to their end. */
function mergeRows(
  source: Uint32Array,
  target: Uint32Array,
  at: MergedRuns,
  from: number,
  until: number,
  compare: (a: number, b: number) => number,
): void {
  const { middle, end } = at;
  const to = Math.min(end, until);
  let { left, right } = at;
  for (let i = from; i < to; i++) {
    const takeRight = left === middle || (right < end && compare(source[left]!, source[right]!) > 0);
    target[i] = takeRight ? source[right++]! : source[left++]!;
  }
  at.left = left;
  at.right = right;
}

/** The numbers that are sorted in one go, in a few milliseconds. */
const sortedAtOnce = 32_768;

/** Sorts numbers, none of them NaN, in place. Gives up the thread on the way. */
export async function sortNumbers(values: Float64Array, pace: Pace): Promise<void> {
  const count = values.length;
  for (let from = 0; from < count; from += sortedAtOnce) {
    values.subarray(from, from + sortedAtOnce).sort();
    const turn = pace();
    if (turn !== undefined) await turn;
  }
  if (count <= sortedAtOnce) return;
  let source = values;
  let target = new Float64Array(count);
  for (let width = sortedAtOnce; width < count; width *= 2) {
    for (let left = 0; left < count; left += 2 * width) {
      const middle = Math.min(count, left + width);
      const end = Math.min(count, left + 2 * width);
      const at = { left, right: middle, middle, end };
      for (let from = left; from < end; from += 4 * stepsBetweenPauses) {
        mergeNumbers(source, target, at, from, from + 4 * stepsBetweenPauses);
        const turn = pace();
        if (turn !== undefined) await turn;
      }
    }
    [source, target] = [target, source as Float64Array<ArrayBuffer>];
  }
  if (source !== values) values.set(source);
}

function mergeNumbers(
  source: Float64Array,
  target: Float64Array,
  at: MergedRuns,
  from: number,
  until: number,
): void {
  const { middle, end } = at;
  const to = Math.min(end, until);
  let { left, right } = at;
  for (let i = from; i < to; i++) {
    if (left === middle || (right < end && source[right]! < source[left]!)) target[i] = source[right++]!;
    else target[i] = source[left++]!;
  }
  at.left = left;
  at.right = right;
}
