import type { OffsetRange } from '../rows/windows.ts';
import type { Tombstone, WindowTombstone } from './tombstone.ts';

/** How much of the values that somebody looks at a tombstone takes from a row with its tags. */
export type Taken = 'all' | 'some' | 'none';

/** What hides rows, shared out. */
export interface HiddenRanges {
  /** Rows there have nothing left. Ascending; they do not touch. */
  readonly whole: readonly OffsetRange[];
  /** What takes only some values of a row, or asks for its tags. */
  readonly others: readonly WindowTombstone[];
}

export function hiddenRanges(
  hidden: readonly WindowTombstone[],
  takes: (tombstone: Tombstone) => Taken,
): HiddenRanges {
  const sample = hidden[0]?.tombstone;
  const isSame = sample?.tagFilters.length === 0 && hidden.at(-1)!.tombstone === sample;
  // Nearly always all take the same, which stands together.
  if (isSame && takes(sample) === 'all') return { whole: wholeOf(hidden), others: noOthers };
  const whole: WindowTombstone[] = [];
  const others: WindowTombstone[] = [];
  let last: { readonly tombstone: Tombstone; readonly taken: Taken } | undefined;
  for (const range of hidden) {
    const { tombstone } = range;
    if (last?.tombstone !== tombstone) last = { tombstone, taken: takes(tombstone) };
    if (last.taken === 'none') continue;
    if (last.taken === 'all' && tombstone.tagFilters.length === 0) whole.push(range);
    else others.push(range);
  }
  return { whole: joinRanges(whole), others };
}

const noOthers: readonly WindowTombstone[] = [];

/** By what a read was told is hidden (`windowTombstones`): the next read mostly is told the same. */
const joinedOf = new WeakMap<readonly WindowTombstone[], readonly OffsetRange[]>();

function wholeOf(hidden: readonly WindowTombstone[]): readonly OffsetRange[] {
  const known = joinedOf.get(hidden);
  if (known !== undefined) return known;
  const joined = joinRanges(hidden);
  joinedOf.set(hidden, joined);
  return joined;
}

/** The same offsets in ranges that ascend and do not touch. */
export function joinRanges(ranges: readonly OffsetRange[]): readonly OffsetRange[] {
  if (areApart(ranges)) return ranges;
  const joined: { first: number; last: number }[] = [];
  for (const { first, last } of [...ranges].sort((a, b) => a.first - b.first)) {
    const before = joined.at(-1);
    if (before !== undefined && first <= before.last + 1) before.last = Math.max(before.last, last);
    else joined.push({ first, last });
  }
  return joined;
}

function areApart(ranges: readonly OffsetRange[]): boolean {
  for (let i = 1; i < ranges.length; i++) if (ranges[i]!.first <= ranges[i - 1]!.last + 1) return false;
  return true;
}
