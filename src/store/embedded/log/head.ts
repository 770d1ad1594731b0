import { windowOf } from '../rows/windows.ts';
import { rowsExtent } from './rows-section.ts';
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
  /** The windows that rows fall into: no window before the first or behind the last of these. */
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

/** The most windows that the slab's rows can fall into. */
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
