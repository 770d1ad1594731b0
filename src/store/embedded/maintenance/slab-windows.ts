import { rowsCount, rowsExtent, rowsOffsets, rowsWindow } from '../log/rows-section.ts';
import type { SlabWords } from '../log/slab.ts';
import { windowBounds, windowOf } from '../rows/windows.ts';

/** Which windows of a slab get parts of their own; the others go together, however many they are. Both ascend. */
export interface SplitWindows {
  readonly own: readonly number[];
  readonly spread: readonly number[];
}

/** The most windows of a slab that makes a part of each. */
const fewWindows = 3;
/** The least share of the rows with which one of more windows gets a part of its own. */
const ownShare = 1 / 8;

export function splitWindows(slab: SlabWords, sections: Uint32Array): SplitWindows {
  const rows = new Map<number, number>();
  let total = 0;
  for (const at of sections) {
    for (const [window, count] of rowsByWindow(slab, at)) {
      rows.set(window, (rows.get(window) ?? 0) + count);
      total += count;
    }
  }
  const windows = [...rows.keys()].sort((a, b) => a - b);
  if (windows.length <= fewWindows) return { own: windows, spread: [] };
  const isOwn = (window: number) => rows.get(window)! >= ownShare * total;
  return { own: windows.filter(isOwn), spread: windows.filter((window) => !isOwn(window)) };
}

/** Of each stream the positions of its sections that reach into the windows from the first to the last. */
export function sectionsByStream(
  slab: SlabWords,
  sections: Uint32Array,
  windows: readonly number[],
): Map<number, number[]> {
  const streams = new Map<number, number[]>();
  for (const at of sections) {
    const { stream, first, last } = rowsExtent(slab, at);
    if (windowOf(first) > windows.at(-1)! || windowOf(last) < windows[0]!) continue;
    const own = streams.get(stream);
    if (own === undefined) streams.set(stream, [at]);
    else own.push(at);
  }
  return streams;
}

/** By window the positions of those sections that have rows there, in the order in which they are given. */
export function sectionsByWindow(slab: SlabWords, sections: readonly number[]): Map<number, number[]> {
  const windows = new Map<number, number[]>();
  for (const at of sections) {
    for (const [window] of rowsByWindow(slab, at)) {
      const own = windows.get(window);
      if (own === undefined) windows.set(window, [at]);
      else own.push(at);
    }
  }
  return windows;
}

/** How many rows a section has in each window that it has some in. */
function rowsByWindow(slab: SlabWords, at: number): [window: number, rows: number][] {
  const only = rowsWindow(slab, at);
  if (only !== undefined) return [[only, rowsCount(slab, at)]];
  const { first, last } = rowsExtent(slab, at);
  const [from, to] = [windowOf(first), windowOf(last)];
  const bounds = windowBounds(first, from, to);
  const rows = new Array<number>(to - from + 1).fill(0);
  for (const offset of rowsOffsets(slab, at)) rows[bounds.placeOf(offset)]!++;
  return rows.flatMap((inWindow, i): [number, number][] => (inWindow === 0 ? [] : [[from + i, inWindow]]));
}
