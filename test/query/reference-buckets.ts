import { between, type Cell, gap, relative } from './reference-aggregates.ts';

/** The number of the bucket, aligned to the epoch, that holds a time; rounds down, also before the epoch. */
export function floorDivide(time: bigint, width: bigint): bigint {
  const quotient = time / width;
  return quotient * width > time ? quotient - 1n : quotient;
}

export function bucketsOf(
  {
    timeBucketDuration,
    interpolationType = 'None',
  }: { timeBucketDuration: bigint; interpolationType?: string },
  known: readonly string[],
): { width: bigint; interpolation: string } {
  const interpolation = known.find((word) => word.toLowerCase() === interpolationType.toLowerCase())!;
  return { width: timeBucketDuration, interpolation };
}

/**
 * One column over the buckets of one group, its gaps filled (contract, section 9). Each column is filled by itself.
 *
 * Decided here: a value that came out as null (a StdDev of one value, a Max of nothing but NaN) is a gap like any
 * other. Linear and Zero know numbers only: strings and binaries stay null. A neighbour that is
 * infinite or NaN takes part in the weighted mean like any number.
 */
export function interpolate(cells: readonly Cell[], interpolation: string, isNumeric: boolean): Cell[] {
  if (interpolation === 'None' || interpolation === 'Null') return [...cells];
  if (interpolation === 'Zero')
    return cells.map((cell) => (cell.value === null && isNumeric ? { value: 0 } : cell));
  let before = -1;
  return cells.map((cell, i) => {
    if (cell.value !== null) {
      before = i;
      return cell;
    }
    if (before < 0) return gap;
    const left = cells[before]!;
    if (interpolation === 'Previous') return left;
    const after = nextValue(cells, i);
    return after < 0 ? gap : point(left, cells[after]!, BigInt(i - before), BigInt(after - before));
  });
}

function nextValue(cells: readonly Cell[], from: number): number {
  for (let i = from; i < cells.length; i++) if (cells[i]!.value !== null) return i;
  return -1;
}

function point(left: Cell, right: Cell, part: bigint, whole: bigint): Cell {
  if (typeof left.value !== 'number' || typeof right.value !== 'number') return gap;
  const slack = Math.max(left.slack ?? 0, right.slack ?? 0) + relative(left.value, right.value);
  return { value: between(left.value, right.value, part, whole), slack };
}
