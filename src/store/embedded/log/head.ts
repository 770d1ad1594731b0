import { takeRows } from '../rows/gather-rows.ts';
import type { RowGroup } from '../rows/row-group.ts';
import { windowOf, windowSpan, windowStart } from '../rows/windows.ts';
import { type RowsSection, rowsExtent } from './rows-section.ts';
import type { Slab } from './slab.ts';

/**
 * The head: rows that are durable in the log and not yet in parts, as they came. Each slab keeps the positions
 * of its rows sections in LSN order and a chain per stream through them; sorting happens when they are read or
 * sealed.
 */
export interface HeadSlab {
  readonly slab: Slab;
  /** Positions of rows sections, in LSN order. */
  readonly sections: number[];
  /** The record that each section stands in. */
  readonly lsns: number[];
  /** Index of the previous section of the same stream, -1 for its first. */
  readonly previous: number[];
  /** Index of a stream's latest section. */
  readonly latest: Map<number, number>;
  /** The windows that rows fall into: no window before the first or after the last of these. */
  firstWindow: number;
  lastWindow: number;
  /** Snapshots that read from this slab. */
  pins: number;
}

export function headSlab(slab: Slab): HeadSlab {
  return {
    slab,
    sections: [],
    lsns: [],
    previous: [],
    latest: new Map(),
    firstWindow: Number.POSITIVE_INFINITY,
    lastWindow: Number.NEGATIVE_INFINITY,
    pins: 0,
  };
}

/** Makes a rows section of the record `lsn` visible. */
export function addSection(head: HeadSlab, at: number, lsn: number): void {
  const { stream, count, first, last } = rowsExtent(head.slab, at);
  if (count === 0) return;
  const index = head.sections.length;
  head.sections.push(at);
  head.lsns.push(lsn);
  head.previous.push(head.latest.get(stream) ?? -1);
  head.latest.set(stream, index);
  head.firstWindow = Math.min(head.firstWindow, windowOf(first));
  head.lastWindow = Math.max(head.lastWindow, windowOf(last));
}

/** The maximum of windows that the slab's rows can fall into. */
export function windowCount(head: HeadSlab): number {
  return head.sections.length === 0 ? 0 : head.lastWindow - head.firstWindow + 1;
}

/** A slab as it was when a read began: later sections are not seen. */
export interface HeadView {
  readonly head: HeadSlab;
  readonly sections: number;
}

/** Positions of a stream's sections and the records that they stand in, in LSN order. */
export function sectionsOf(
  { head, sections }: HeadView,
  stream: number,
): { readonly at: number; readonly lsn: number }[] {
  const found: { at: number; lsn: number }[] = [];
  for (let index = head.latest.get(stream) ?? -1; index >= 0; index = head.previous[index]!) {
    if (index < sections) found.push({ at: head.sections[index]!, lsn: head.lsns[index]! });
  }
  return found.reverse();
}

/**
 * The rows of a section as groups, window by window, with offsets from the window's start. Rows stand as they
 * came: in any order, identities possibly repeated; the arrays are views into the slab where nothing had to move.
 */
export function* groupsOfView(section: RowsSection): Generator<{ window: number; group: RowGroup }> {
  const first = windowOf(section.base);
  const last = windowOf(section.base + BigInt(section.span));
  for (let window = first; window <= last; window++) {
    // From the section's base, which its offsets count from, to the start of the window.
    const shift = Number(windowStart(window) - section.base);
    const group = { ...rowsOf(section), offsets: section.offsets.map((offset) => offset - shift) };
    if (first === last) {
      yield { window, group };
      return;
    }
    const inside: number[] = [];
    group.offsets.forEach((offset, row) => {
      if (offset >= 0 && offset < windowSpan) inside.push(row);
    });
    if (inside.length > 0) yield { window, group: takeRows(group, Uint32Array.from(inside)) };
  }
}

function rowsOf({ stream, count, offsets, tagSets, tagIndex, columns }: RowsSection): RowGroup {
  const ordered = [...columns].sort((a, b) => a.parameter - b.parameter);
  return { stream, count, offsets, tagSets, tagIndex, columns: ordered };
}
