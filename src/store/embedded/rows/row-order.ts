/**
 * Puts rows into order: rows are numbers, what they stand for is the caller's.
 * A natural merge sort: rows that already stand in order are runs, and neighbouring runs are merged pair by
 * pair. It is stable, needs one pass over sorted input and log2(runs) more over the rest.
 */
export interface SortKeys {
  /** The first key of each row. */
  readonly offsets: Float64Array;
  /** The order of two rows of the same offset, like a comparator's; undefined where offsets are all. */
  readonly compareTies: ((a: number, b: number) => number) | undefined;
}

/** The rows in order, equal ones as they came; undefined where 0, 1, 2, … is the order. */
export function sortedOrder({ offsets, compareTies }: SortKeys): Uint32Array | undefined {
  const count = offsets.length;
  const after = (a: number, b: number): boolean => {
    const [offsetA, offsetB] = [offsets[a]!, offsets[b]!];
    return offsetA > offsetB || (offsetA === offsetB && compareTies !== undefined && compareTies(a, b) > 0);
  };
  let bounds = [0];
  for (let row = 1; row < count; row++) if (after(row - 1, row)) bounds.push(row);
  if (bounds.length === 1) return undefined;
  bounds.push(count);

  let source = Uint32Array.from({ length: count }, (_, row) => row);
  let target = new Uint32Array(count);
  while (bounds.length > 2) {
    const merged = [0];
    for (let run = 0; run + 1 < bounds.length; run += 2) {
      const middle = bounds[run + 1]!;
      const end = bounds[run + 2] ?? middle;
      let left = bounds[run]!;
      let right = middle;
      for (let at = left; at < end; at++) {
        const takeRight = left === middle || (right < end && after(source[left]!, source[right]!));
        target[at] = takeRight ? source[right++]! : source[left++]!;
      }
      merged.push(end);
    }
    bounds = merged;
    [source, target] = [target, source];
  }
  return source;
}
