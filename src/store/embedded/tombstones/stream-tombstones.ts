import { rangeInWindow, windowStart } from '../rows/windows.ts';
import type { Tombstone, WindowTombstone } from './tombstone.ts';

/**
 * The tombstones of one stream, so that those of a moment are found by a binary search. Tombstones that take the same of
 * a row (parameters and tags) share a layer. A layer says for each time which of its tombstones is the newest: whatever
 * is older than an earlier one there is older than this one, too, so nothing else matters.
 */
export interface StreamTombstones {
  /** Of the newest tombstone; 0 where there is none. */
  readonly lsn: number;
  readonly layers: readonly Layer[];
}

export interface Layer {
  /** What its tombstones take, as text: layers with the same are one. */
  readonly takes: string;
  /** Any of its tombstones, for what it takes. */
  readonly sample: Tombstone;
  readonly lsn: number;
  /** Ascending; no two share a time. */
  readonly stretches: readonly Stretch[];
}

/** Nanoseconds, both inclusive, and the newest tombstone of the layer there. */
export interface Stretch {
  readonly from: bigint;
  readonly to: bigint;
  readonly tombstone: Tombstone;
}

export const noTombstones: StreamTombstones = { lsn: 0, layers: [] };

/** The same with newer tombstones of the stream, by LSN. */
export function addTombstones(known: StreamTombstones, newer: readonly Tombstone[]): StreamTombstones {
  if (newer.length === 0) return known;
  const drafts = new Map<string, { sample: Tombstone; lsn: number; stretches: Stretch[] }>();
  const layers = new Map(known.layers.map((layer) => [layer.takes, layer]));
  for (const tombstone of newer) {
    const takes = takesOf(tombstone);
    const layer = layers.get(takes);
    const draft = drafts.get(takes) ?? {
      sample: layer?.sample ?? tombstone,
      lsn: 0,
      stretches: layer === undefined ? [] : [...layer.stretches],
    };
    lay(draft.stretches, tombstone);
    draft.lsn = tombstone.lsn;
    drafts.set(takes, draft);
  }
  for (const [takes, draft] of drafts) layers.set(takes, { takes, ...draft });
  return { lsn: newer.at(-1)!.lsn, layers: [...layers.values()] };
}

/** Puts a tombstone over what it covers. */
function lay(stretches: Stretch[], tombstone: Tombstone): void {
  const { from, to } = tombstone;
  const start = firstEndingFrom(stretches, from);
  let end = start;
  while (end < stretches.length && stretches[end]!.from <= to) end++;
  const laid: Stretch[] = [{ from, to, tombstone }];
  if (end > start) {
    const [first, last] = [stretches[start]!, stretches[end - 1]!];
    if (first.from < from) laid.unshift({ ...first, to: from - 1n });
    if (last.to > to) laid.push({ ...last, from: to + 1n });
  }
  stretches.splice(start, end - start, ...laid);
}

/** The place of the first stretch that ends at a time or after it. */
function firstEndingFrom(stretches: readonly Stretch[], time: bigint): number {
  let low = 0;
  let high = stretches.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (stretches[middle]!.to < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

const takenBy = new WeakMap<Tombstone, string>();

function takesOf(tombstone: Tombstone): string {
  const known = takenBy.get(tombstone);
  if (known !== undefined) return known;
  const { parameters, tagFilters } = tombstone;
  const takes = JSON.stringify([parameters && [...parameters].sort((a, b) => a - b), tagFilters]);
  takenBy.set(tombstone, takes);
  return takes;
}

/** The stretches of a layer between two times (ns, both inclusive) that hide what the record `lsn` wrote. */
export function* stretchesBetween(
  { stretches, lsn: newest }: Layer,
  lsn: number,
  from: bigint,
  to: bigint,
): Generator<Stretch> {
  if (newest <= lsn) return;
  for (let i = firstEndingFrom(stretches, from); i < stretches.length; i++) {
    const stretch = stretches[i]!;
    if (stretch.from > to) return;
    if (stretch.tombstone.lsn > lsn) yield stretch;
  }
}

/**
 * What hides rows of a window between two offsets (both inclusive) that stand in a part, or a record, of an LSN. What
 * takes the same stands together, ascending, and is joined where it touches.
 */
export function windowTombstones(
  { layers, lsn: newest }: StreamTombstones,
  lsn: number,
  window: number,
  first: number,
  last: number,
): readonly WindowTombstone[] {
  if (newest <= lsn) return noneHere;
  const start = windowStart(window);
  const [from, to] = [start + BigInt(first), start + BigInt(last)];
  const found: WindowTombstone[] = [];
  for (const layer of layers) {
    let joined: { tombstone: Tombstone; first: number; last: number } | undefined;
    for (const stretch of stretchesBetween(layer, lsn, from, to)) {
      const inside = rangeInWindow(window, stretch.from, stretch.to)!;
      if (joined !== undefined && inside.first === joined.last + 1) {
        joined.last = inside.last;
        continue;
      }
      joined = { tombstone: layer.sample, ...inside };
      found.push(joined);
    }
  }
  return found;
}

/** Whether something hides values of rows of a window between two offsets (both inclusive) in a part of an LSN. */
export function isTouched(
  { layers, lsn: newest }: StreamTombstones,
  lsn: number,
  window: number,
  first: number,
  last: number,
): boolean {
  if (newest <= lsn) return false;
  const start = windowStart(window);
  const [from, to] = [start + BigInt(first), start + BigInt(last)];
  return layers.some((layer) => stretchesBetween(layer, lsn, from, to).next().done !== true);
}

const noneHere: readonly WindowTombstone[] = [];

/**
 * How much of what a record wrote between two times (ns, both inclusive) is hidden: `all` means that no value is left
 * but those of events.
 */
export function hiddenShare(
  { layers }: StreamTombstones,
  lsn: number,
  from: bigint,
  to: bigint,
): 'none' | 'some' | 'all' {
  let share: 'none' | 'some' = 'none';
  for (const layer of layers) {
    let next = from;
    for (const stretch of stretchesBetween(layer, lsn, from, to)) {
      share = 'some';
      if (stretch.from > next || !takesAll(layer.sample)) break;
      next = stretch.to + 1n;
    }
    if (next > to) return 'all';
  }
  return share;
}

/** Whether one of these takes all values but those of events from all rows between two offsets, both inclusive. */
export function coversAll(hidden: readonly WindowTombstone[], first: number, last: number): boolean {
  return hidden.some((here) => here.first <= first && here.last >= last && takesAll(here.tombstone));
}

function takesAll({ parameters, tagFilters }: Tombstone): boolean {
  return parameters === undefined && tagFilters.length === 0;
}
