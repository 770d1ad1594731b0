import { isSpread, type PartRecord, windowsOf } from '../parts/part-record.ts';
import { fanInRun, maxPartBytes } from './merge-policy.ts';

/** Rows of one window that a merge gives a part of its own, from some of the parts (by place) that it merges. */
export interface Apart {
  readonly window: number;
  readonly parts: readonly number[];
}

/**
 * In each window the parts that have rows there follow one another in LSN order, as merged neighbours do. Spread parts
 * are merged although parts of single windows lie between them. Where such a one has rows in a window that the merged
 * ones have, too, what comes before it and what comes after it stay apart, as parts of that window.
 *
 * @param chosen in LSN order
 * @param extracted windows that are to get parts of their own anyway
 */
export function apartOf(
  all: readonly PartRecord[],
  chosen: readonly PartRecord[],
  extracted: ReadonlySet<number> = new Set(),
): Apart[] {
  if (!chosen.some(isSpread) && new Set(chosen.map(({ window }) => window)).size === 1) return [];
  const numbers = new Set(chosen.map(({ number }) => number));
  const hull = hullOf(chosen);
  const places = new Map<number, number[]>();
  for (const [place, part] of chosen.entries()) {
    for (const window of windowsOf(part)) places.set(window, [...(places.get(window) ?? []), place]);
  }
  const between = new Map<number, PartRecord[]>([...extracted].map((window) => [window, []]));
  for (const part of all) {
    if (numbers.has(part.number) || !overlaps(part, hull)) continue;
    for (const window of windowsOf(part)) {
      if (places.has(window)) between.set(window, [...(between.get(window) ?? []), part]);
    }
  }
  return [...between].flatMap(([window, parts]) =>
    stretches(chosen, places.get(window) ?? [], parts).map((own): Apart => ({ window, parts: own })),
  );
}

interface LsnRange {
  readonly firstLsn: number;
  readonly lastLsn: number;
}

function overlaps(a: LsnRange, b: LsnRange): boolean {
  return a.firstLsn <= b.lastLsn && a.lastLsn >= b.firstLsn;
}

function hullOf(parts: readonly PartRecord[]): LsnRange {
  return {
    firstLsn: Math.min(...parts.map(({ firstLsn }) => firstLsn)),
    lastLsn: Math.max(...parts.map(({ lastLsn }) => lastLsn)),
  };
}

/** Places of parts that nothing lies between. */
function stretches(
  chosen: readonly PartRecord[],
  places: readonly number[],
  between: readonly PartRecord[],
): number[][] {
  const found: number[][] = [];
  for (const place of places) {
    const last = found.at(-1);
    const together = last && hullOf([...last, place].map((one) => chosen[one]!));
    if (last === undefined || between.some((part) => overlaps(part, together!))) found.push([place]);
    else last.push(place);
  }
  return found;
}

/** What to merge, and windows that are to leave it. */
export interface SpreadMerge {
  readonly parts: readonly PartRecord[];
  readonly extracted: ReadonlySet<number>;
}

const none: ReadonlySet<number> = new Set();

/**
 * The next merge that keeps spread parts few: eight of a level become one of the next, whatever windows they have; one
 * that separates many parts of a window from each other gives its rows there away; and windows with few bytes go together
 * when they have many parts.
 *
 * @param excluded numbers of parts that cannot be merged
 */
export function chooseSpreadMerge(
  all: readonly PartRecord[],
  excluded: ReadonlySet<number>,
): SpreadMerge | undefined {
  const run = fanInRun(all.filter(isSpread), excluded);
  if (run !== undefined && leavesSome(all, run)) return { parts: run, extracted: none };
  const separating = chooseSeparating(all, excluded);
  if (separating !== undefined) return separating;
  const small = chooseSmallWindows(all, excluded);
  return small && { parts: small, extracted: none };
}

/** Whether some window need not stay apart. */
export function leavesSome(all: readonly PartRecord[], chosen: readonly PartRecord[]): boolean {
  const apart = new Set(apartOf(all, chosen).map(({ window }) => window));
  return chosen.some((part) => windowsOf(part).some((window) => !apart.has(window)));
}

/** The parts of a window from which on a spread part between them is in the way. */
const manyParts = 16;

function chooseSeparating(
  all: readonly PartRecord[],
  excluded: ReadonlySet<number>,
): SpreadMerge | undefined {
  const windows = byWindow(all.filter((part) => !isSpread(part)));
  const crowded = [...windows].filter(([, parts]) => parts.length >= manyParts).map(([window]) => window);
  if (crowded.length === 0) return undefined;
  const separates = (spread: PartRecord, window: number) => {
    const own = windows.get(window) ?? [];
    return (
      own.some(({ lastLsn }) => lastLsn < spread.firstLsn) &&
      own.some(({ firstLsn }) => firstLsn > spread.lastLsn)
    );
  };
  for (const spread of all.filter(isSpread)) {
    if (excluded.has(spread.number)) continue;
    const own = new Set(windowsOf(spread));
    if (!crowded.some((window) => own.has(window) && separates(spread, window))) continue;
    return { parts: [spread], extracted: new Set([...own].filter((window) => separates(spread, window))) };
  }
  return undefined;
}

/** The bytes below which a window has few. */
const smallWindowBytes = 1024 * 1024;
/** The most parts of windows with few bytes, and the fewest such windows that go together. */
const maxSmallParts = 128;
const minSmallWindows = 16;

function chooseSmallWindows(
  all: readonly PartRecord[],
  excluded: ReadonlySet<number>,
): readonly PartRecord[] | undefined {
  const small = [...byWindow(all.filter((part) => !isSpread(part))).values()].filter(
    (parts) =>
      parts.reduce((sum, { bytes }) => sum + bytes, 0) < smallWindowBytes &&
      !parts.some(({ number }) => excluded.has(number)),
  );
  const chosen = new Set(small.flat());
  if (chosen.size <= maxSmallParts || small.length < minSmallWindows) return undefined;
  // With the spread parts between them nothing has to stay apart.
  for (let size = 0; size < chosen.size; ) {
    size = chosen.size;
    const hull = hullOf([...chosen]);
    for (const part of all) {
      if (isSpread(part) && !excluded.has(part.number) && overlaps(part, hull)) chosen.add(part);
    }
  }
  const parts = [...chosen].sort((a, b) => a.firstLsn - b.firstLsn);
  if (parts.reduce((sum, { bytes }) => sum + bytes, 0) > maxPartBytes) return undefined;
  return apartOf(all, parts).length + 1 < parts.length ? parts : undefined;
}

function byWindow(parts: readonly PartRecord[]): Map<number, PartRecord[]> {
  const windows = new Map<number, PartRecord[]>();
  for (const part of parts) {
    const found = windows.get(part.window);
    if (found === undefined) windows.set(part.window, [part]);
    else found.push(part);
  }
  return windows;
}
