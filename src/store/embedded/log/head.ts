import { takeRows } from '../rows/gather-rows.ts';
import type { GroupColumn, PlacedGroup, RowGroup } from '../rows/row-group.ts';
import { windowBounds, windowOf, windowStart } from '../rows/windows.ts';
import {
  type HeadIndex,
  headIndex,
  isCrowded,
  latestOf,
  placeOf,
  withMoreSections,
  withMoreStreams,
} from './head-index.ts';
import { type RowsSection, rowsExtent } from './rows-section.ts';
import type { Slab, SlabWords } from './slab.ts';

/**
 * The head: rows that are durable in the log and not yet in parts, as they came. Each slab has an index of its
 * sections of rows; sorting happens when they are read or sealed.
 */
export interface HeadSlab {
  readonly slab: Slab;
  /** Replaced when it is full. */
  index: HeadIndex;
  /** How many sections are shown, and how many sections and streams the index has: more while a record is being applied. */
  count: number;
  placed: number;
  streams: number;
  /** No row falls into a window before the first of these, or after the last. */
  firstWindow: number;
  lastWindow: number;
  /** Snapshots that read from this slab, and backups: counted by left-slabs.ts alone. */
  pins: number;
}

export function headSlab(slab: Slab): HeadSlab {
  return {
    slab,
    index: headIndex(),
    count: 0,
    placed: 0,
    streams: 0,
    firstWindow: Number.POSITIVE_INFINITY,
    lastWindow: Number.NEGATIVE_INFINITY,
    pins: 0,
  };
}

/** Makes visible what was placed. */
export function showSections(head: HeadSlab): void {
  head.count = head.placed;
}

/** Puts a section of rows of the record `lsn` into the index, where nobody sees it yet. */
export function placeSection(head: HeadSlab, at: number, lsn: number): void {
  const { stream, count, first, last } = rowsExtent(head.slab.words, at);
  if (count === 0) return;
  const section = head.placed++;
  if (section === head.index.sections.length) head.index = withMoreSections(head.index);
  if (isCrowded(head.index, head.streams)) head.index = withMoreStreams(head.index);
  const { sections, lsns, previous, latest } = head.index;
  const place = placeOf(latest, stream);
  const isFirst = latest[place] === 0;
  sections[section] = at;
  lsns[section] = lsn;
  previous[section] = isFirst ? -1 : latest[place + 1]!;
  // Other threads may look a stream up meanwhile: they find all of the section, or nothing of it.
  Atomics.store(latest, place + 1, section);
  if (isFirst) {
    Atomics.store(latest, place, stream);
    head.streams++;
  }
  head.firstWindow = Math.min(head.firstWindow, windowOf(first));
  head.lastWindow = Math.max(head.lastWindow, windowOf(last));
}

/** The most windows that the slab's rows can fall into. */
export function windowCount(head: HeadSlab): number {
  return head.count === 0 ? 0 : head.lastWindow - head.firstWindow + 1;
}

/** A slab as it was when a read began: later sections are not seen. It can be sent to a thread. */
export interface HeadView {
  readonly words: SlabWords;
  readonly index: HeadIndex;
  readonly count: number;
}

export function headView({ slab, index, count }: HeadSlab): HeadView {
  return { words: slab.words, index, count };
}

/** Calls `visit` with the number of each stream of a view, in no order, and perhaps with some that came later. */
export function visitStreams({ index }: HeadView, visit: (stream: number) => void): void {
  const { latest } = index;
  for (let place = 0; place < latest.length; place += 2) if (latest[place] !== 0) visit(latest[place]!);
}

/** Indexes of a stream's sections, in LSN order. */
export function sectionsOf({ index, count }: HeadView, stream: number): number[] {
  const found: number[] = [];
  for (let section = latestOf(index, stream); section >= 0; section = index.previous[section]!) {
    if (section < count) found.push(section);
  }
  return found.reverse();
}

/**
 * The rows of a section as groups, window by window. Rows stand as they came: in any order, identities possibly
 * repeated; the arrays are views into the slab where nothing had to move.
 */
export function groupsOfView(section: RowsSection): PlacedGroup[] {
  const { base, offsets, count } = section;
  const first = windowOf(base);
  const last = windowOf(base + BigInt(section.span));
  const whole = groupOf(section);
  if (first === last) return [{ window: first, group: shifted(whole, Number(windowStart(first) - base)) }];
  const bounds = windowBounds(base, first, last);
  const rows = Array.from({ length: last - first + 1 }, (): number[] => []);
  for (let row = 0; row < count; row++) rows[bounds.placeOf(offsets[row]!)]!.push(row);
  return rows.flatMap((own, place) => {
    if (own.length === 0) return [];
    const group = shifted(takeRows(whole, Uint32Array.from(own)), bounds.startOf(place));
    return [{ window: first + place, group }];
  });
}

/** The same of one window; undefined where it has no rows. */
export function groupInWindow(section: RowsSection, window: number): RowGroup | undefined {
  const { base, offsets, count } = section;
  const first = windowOf(base);
  const last = windowOf(base + BigInt(section.span));
  const whole = groupOf(section);
  const start = Number(windowStart(window) - base);
  if (first === last) return window === first ? shifted(whole, start) : undefined;
  const bounds = windowBounds(base, first, last);
  const rows: number[] = [];
  for (let row = 0; row < count; row++) if (bounds.placeOf(offsets[row]!) === window - first) rows.push(row);
  return rows.length === 0 ? undefined : shifted(takeRows(whole, Uint32Array.from(rows)), start);
}

function groupOf({ stream, count, offsets, tagSets, tagIndex, columns }: RowsSection): RowGroup {
  return { stream, count, offsets, tagSets, tagIndex, columns: inOrder(columns) };
}

/** Columns by their parameters. */
function inOrder(columns: readonly GroupColumn[]): readonly GroupColumn[] {
  const isOrdered = columns.every(({ parameter }, i) => i === 0 || columns[i - 1]!.parameter < parameter);
  return isOrdered ? columns : columns.toSorted((a, b) => a.parameter - b.parameter);
}

/** The rows with offsets from a window's start; in the section they count from its base. */
function shifted(group: RowGroup, start: number): RowGroup {
  const { stream, count, tagSets, tagIndex, columns } = group;
  const offsets = new Float64Array(count);
  for (let row = 0; row < count; row++) offsets[row] = group.offsets[row]! - start;
  return { stream, count, offsets, tagSets, tagIndex, columns };
}
