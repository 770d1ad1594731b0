import { lowerBound } from '../parts/column-sets.ts';
import { isSpread, type PartRecord, windowsOf } from '../parts/part-record.ts';

/** The parts of a level that become one of the next: each row is rewritten log8(parts) times. */
const fanIn = 8;
/** The largest part that a merge makes, so that none needs more free disk than that. */
export const maxPartBytes = 2 ** 30;

/**
 * The next merge worth doing: the oldest run of `fanIn` parts of one window and level that follow one another in
 * LSN order, lowest level first. Neighbours only, because of two values the higher LSN wins. So a spread part with rows
 * in the window separates them; parts that these leave over in great numbers are merged whatever their levels.
 *
 * @param excluded numbers of parts that cannot be merged; no run reaches over one either
 */
export function chooseMerge(
  parts: readonly PartRecord[],
  excluded: ReadonlySet<number>,
): PartRecord[] | undefined {
  const windows = byWindow(parts);
  const left = separated(parts, excluded);
  let best: PartRecord[] | undefined;
  for (const window of windows.values()) {
    const run = fanInRun(window, left);
    if (run !== undefined && (best === undefined || run[0]!.level < best[0]!.level)) best = run;
  }
  if (best !== undefined) return best;
  for (const window of windows.values()) {
    if (window.filter(({ bytes }) => bytes < quietBytes).length < crowdedParts) continue;
    const run = newestQuietRun(inLsnOrder(window), left);
    if (run !== undefined) return run;
  }
  return undefined;
}

/** The parts of a window that are more than levels alone leave: seven of each of three. */
const crowdedParts = 32;

/** Whether so many parts of a window were never merged that merging does not keep up with sealing. */
export function isMergingBehind(parts: readonly PartRecord[]): boolean {
  const unmerged = parts.filter(({ level }) => level === 0);
  return [...byWindow(unmerged).values()].some(({ length }) => length >= crowdedParts);
}

/** Parts that no run of a window reaches over: those, and the spread ones. */
function separated(parts: readonly PartRecord[], excluded: ReadonlySet<number>): ReadonlySet<number> {
  const spread = parts.filter(isSpread);
  return spread.length === 0 ? excluded : new Set([...excluded, ...spread.map(({ number }) => number)]);
}

/** The largest part that is made in quiet times: a read of a few hundred milliseconds, and a write. */
const quietBytes = 2 ** 27;
/** The least share of the largest part's bytes that the others have, so that no byte is rewritten often. */
const quietShare = 0.25;

/**
 * A merge for the sake of readers, when nothing is written: a run of parts of one window that follow one another, whatever
 * their levels. With each part less, a read of any stream has one place less to look at. Of the runs that pay, those that
 * end with the newest part are preferred, and of these the longest.
 *
 * @param excluded as above
 */
export function chooseQuietMerge(
  parts: readonly PartRecord[],
  excluded: ReadonlySet<number>,
): PartRecord[] | undefined {
  const left = separated(parts, excluded);
  for (const window of byWindow(parts).values()) {
    const run = newestQuietRun(inLsnOrder(window), left);
    if (run !== undefined) return run;
  }
  return undefined;
}

/** The same of spread parts, whatever windows they have. */
export function chooseQuietSpreadMerge(
  parts: readonly PartRecord[],
  excluded: ReadonlySet<number>,
): PartRecord[] | undefined {
  return newestQuietRun(inLsnOrder(parts.filter(isSpread)), excluded);
}

/**
 * One pass over the ends that a run may have. If a run does not pay, its largest part has more than four fifths of its
 * bytes, and no shorter run with this part pays either. So the next run to try begins after this part, and has less than
 * a fifth of the bytes: there are a few beginnings to try for each end, however many parts there are.
 */
function newestQuietRun(
  ordered: readonly PartRecord[],
  excluded: ReadonlySet<number>,
): PartRecord[] | undefined {
  /** Bytes of the parts before each. */
  const sums = new Float64Array(ordered.length + 1);
  /** Parts, by place, that are larger than all after them. */
  const largest: number[] = [];
  let first = 0;
  let best: { start: number; end: number } | undefined;
  for (const [last, { number, bytes }] of ordered.entries()) {
    const end = last + 1;
    sums[end] = sums[last]! + bytes;
    while (largest.length > 0 && ordered[largest.at(-1)!]!.bytes <= bytes) largest.pop();
    largest.push(last);
    if (excluded.has(number)) first = end;
    while (sums[end]! - sums[first]! > quietBytes) first++;
    for (let start = first; start < last; ) {
      const at = largest[lowerBound(largest, start)]!;
      const { bytes: largestBytes } = ordered[at]!;
      if (sums[end]! - sums[start]! - largestBytes >= quietShare * largestBytes) {
        best = { start, end };
        break;
      }
      start = at + 1;
    }
  }
  return best && ordered.slice(best.start, best.end);
}

/** One above the parts that a part is made of; where these differ, their highest. */
export function levelAbove(parts: readonly PartRecord[]): number {
  const highest = parts.reduce((maximum, { level }) => Math.max(maximum, level), 0);
  return parts.length > 1 && parts.every(({ level }) => level === highest) ? highest + 1 : highest;
}

/** The parts of each window that has some of its own, and the spread parts with rows there. */
function byWindow(parts: readonly PartRecord[]): Map<number, PartRecord[]> {
  const windows = new Map<number, PartRecord[]>();
  for (const part of parts) {
    if (isSpread(part)) continue;
    const window = windows.get(part.window);
    if (window === undefined) windows.set(part.window, [part]);
    else window.push(part);
  }
  for (const part of parts)
    if (isSpread(part)) for (const window of windowsOf(part)) windows.get(window)?.push(part);
  return windows;
}

function inLsnOrder(parts: readonly PartRecord[]): PartRecord[] {
  return [...parts].sort((a, b) => a.firstLsn - b.firstLsn);
}

/** The oldest run of `fanIn` parts of one level that follow one another, of the lowest level. */
export function fanInRun(
  parts: readonly PartRecord[],
  excluded: ReadonlySet<number>,
): PartRecord[] | undefined {
  const ordered = inLsnOrder(parts);
  let best: PartRecord[] | undefined;
  for (let start = 0; start + fanIn <= ordered.length; start++) {
    const run = ordered.slice(start, start + fanIn);
    const level = run[0]!.level;
    if (run.some((part) => part.level !== level || excluded.has(part.number))) continue;
    if (run.reduce((bytes, part) => bytes + part.bytes, 0) > maxPartBytes) continue;
    if (best === undefined || level < best[0]!.level) best = run;
  }
  return best;
}

/** What the policy has to know of a part with dead rows; times in ms since the Unix epoch. */
export interface DeadPart {
  readonly part: PartRecord;
  readonly bytes: number;
  readonly deadBytes: number;
  /** When it should be cleaned however few its dead rows are. */
  readonly dueAt: number;
}

/** The share of dead bytes from which on a part is cleaned at once: what that writes is a few times what it frees. */
const cleanedShare = 0.25;

/** The part that is most worth writing again without its dead rows. */
export function chooseCleaning(
  parts: readonly DeadPart[],
  excluded: ReadonlySet<number>,
  now: number,
): PartRecord | undefined {
  const share = ({ bytes, deadBytes }: DeadPart) => deadBytes / bytes;
  const worthwhile = parts.filter(
    (dead) => !excluded.has(dead.part.number) && (share(dead) >= cleanedShare || dead.dueAt <= now),
  );
  return worthwhile.sort((a, b) => share(b) - share(a))[0]?.part;
}
