import { windowOf, windowSpan, windowStart } from '../rows/windows.ts';
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
  /** The same times as windows and offsets in these: a read asks for many stretches by these. */
  readonly firstWindow: number;
  readonly firstOffset: number;
  readonly lastWindow: number;
  readonly lastOffset: number;
}

function stretchOf(from: bigint, to: bigint, tombstone: Tombstone): Stretch {
  const [firstWindow, lastWindow] = [windowOf(from), windowOf(to)];
  const firstOffset = Number(from - windowStart(firstWindow));
  const lastOffset = Number(to - windowStart(lastWindow));
  return { from, to, tombstone, firstWindow, firstOffset, lastWindow, lastOffset };
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
  const laid = [stretchOf(from, to, tombstone)];
  if (end > start) {
    const [first, last] = [stretches[start]!, stretches[end - 1]!];
    if (first.from < from) laid.unshift(stretchOf(first.from, from - 1n, first.tombstone));
    if (last.to > to) laid.push(stretchOf(to + 1n, last.to, last.tombstone));
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
 * takes the same stands together, ascending, and is joined where it touches. As long as the tombstones are the same, the
 * same question has the same array: who makes something of it may keep that.
 */
export function windowTombstones(
  tombstones: StreamTombstones,
  lsn: number,
  window: number,
  first: number,
  last: number,
): readonly WindowTombstone[] {
  if (tombstones.lsn <= lsn) return noneHere;
  const answers = answered.get(tombstones) ?? new Map<string, readonly WindowTombstone[]>();
  const question = `${lsn} ${window} ${first} ${last}`;
  const known = answers.get(question);
  if (known !== undefined) return known;
  const found = findTombstones(tombstones, lsn, window, first, last);
  keptBytes += questionBytes + tombstoneBytes * found.length;
  if (keptBytes > maxKeptBytes) {
    answered = new WeakMap();
    keptBytes = 0;
  } else answered.set(tombstones, answers.set(question, found));
  return found;
}

/** Deletes are few and reads are many: the answers to earlier questions, which come again for each row group. */
let answered = new WeakMap<StreamTombstones, Map<string, readonly WindowTombstone[]>>();
let keptBytes = 0;
/** What a question takes with its answer, and each tombstone of that. */
const questionBytes = 250;
const tombstoneBytes = 50;
/** The bytes of answers beyond which all are forgotten. */
const maxKeptBytes = 25_000_000;

function findTombstones(
  { layers }: StreamTombstones,
  lsn: number,
  window: number,
  first: number,
  last: number,
): readonly WindowTombstone[] {
  const found: WindowTombstone[] = [];
  for (const layer of layers) {
    const tombstone = layer.sample;
    let joined: { tombstone: Tombstone; first: number; last: number } | undefined;
    for (const here of stretchesInWindow(layer, lsn, window, first, last)) {
      if (joined !== undefined && here.first === joined.last + 1) joined.last = here.last;
      else {
        joined = { tombstone, first: here.first, last: here.last };
        found.push(joined);
      }
    }
  }
  return found.length === 0 ? noneHere : found;
}

/** The stretches of a layer between two offsets of a window (both inclusive) that hide what the record `lsn` wrote. */
export function* stretchesInWindow(
  { stretches, lsn: newest }: Layer,
  lsn: number,
  window: number,
  first: number,
  last: number,
): Generator<WindowTombstone> {
  if (newest <= lsn) return;
  for (let i = firstEndingAt(stretches, window, first); i < stretches.length; i++) {
    const stretch = stretches[i]!;
    if (beginsAfter(stretch, window, last)) return;
    const { tombstone } = stretch;
    if (tombstone.lsn <= lsn) continue;
    yield {
      tombstone,
      first: stretch.firstWindow < window ? 0 : stretch.firstOffset,
      last: stretch.lastWindow > window ? windowSpan - 1 : stretch.lastOffset,
    };
  }
}

/** The place of the first stretch that ends at an offset of a window or after it. */
function firstEndingAt(stretches: readonly Stretch[], window: number, offset: number): number {
  let low = 0;
  let high = stretches.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const { lastWindow, lastOffset } = stretches[middle]!;
    if (lastWindow < window || (lastWindow === window && lastOffset < offset)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function beginsAfter({ firstWindow, firstOffset }: Stretch, window: number, offset: number): boolean {
  return firstWindow > window || (firstWindow === window && firstOffset > offset);
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
  for (const { stretches, lsn: newestOfLayer } of layers) {
    if (newestOfLayer <= lsn) continue;
    for (let i = firstEndingAt(stretches, window, first); i < stretches.length; i++) {
      if (beginsAfter(stretches[i]!, window, last)) break;
      if (stretches[i]!.tombstone.lsn > lsn) return true;
    }
  }
  return false;
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
