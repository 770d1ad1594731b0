import type { OffsetRange } from '../rows/windows.ts';

/** The same offsets in ranges that ascend and do not touch. */
export function joinRanges(ranges: readonly OffsetRange[]): readonly OffsetRange[] {
  if (ranges.length < 2) return ranges;
  const joined: { first: number; last: number }[] = [];
  for (const { first, last } of [...ranges].sort((a, b) => a.first - b.first)) {
    const before = joined.at(-1);
    if (before !== undefined && first <= before.last + 1) before.last = Math.max(before.last, last);
    else joined.push({ first, last });
  }
  return joined;
}
