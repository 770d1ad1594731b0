import { rowsExtent, rowsOffsets } from '../log/rows-section.ts';
import type { SlabWords } from '../log/slab.ts';
import { windowBounds, windowOf } from '../rows/windows.ts';

/** What a slab has in one window. */
export interface SlabWindow {
  readonly window: number;
  rows: number;
  /** By stream the positions of sections, in LSN order. */
  readonly streams: Map<number, number[]>;
}

/** The windows that sections of a slab have rows in, ascending. */
export function slabWindows(slab: SlabWords, sections: Uint32Array): SlabWindow[] {
  const windows = new Map<number, SlabWindow>();

  function add(window: number, stream: number, at: number, rows: number): void {
    if (rows === 0) return;
    const found = windows.get(window) ?? { window, rows: 0, streams: new Map<number, number[]>() };
    windows.set(window, found);
    found.rows += rows;
    const own = found.streams.get(stream);
    if (own === undefined) found.streams.set(stream, [at]);
    else own.push(at);
  }

  for (const at of sections) {
    const { stream, first, last, count } = rowsExtent(slab, at);
    const [from, to] = [windowOf(first), windowOf(last)];
    if (from === to) {
      add(from, stream, at, count);
      continue;
    }
    const bounds = windowBounds(first, from, to);
    const rows = new Float64Array(to - from + 1);
    for (const offset of rowsOffsets(slab, at)) rows[bounds.placeOf(offset)]!++;
    for (const [i, inWindow] of rows.entries()) add(from + i, stream, at, inWindow);
  }
  return [...windows.values()].sort((a, b) => a.window - b.window);
}

/** A slab with rows in no more windows than that makes a part of each. */
const fewWindows = 3;
/** Of more windows those with at least this share of the rows get a part of their own. */
const ownShare = 1 / 8;

/** Which windows of a slab get parts of their own; the others go together, however many they are. */
export function splitWindows(windows: readonly SlabWindow[]): { own: SlabWindow[]; spread: SlabWindow[] } {
  if (windows.length <= fewWindows) return { own: [...windows], spread: [] };
  const total = windows.reduce((sum, { rows }) => sum + rows, 0);
  const isOwn = ({ rows }: SlabWindow) => rows >= ownShare * total;
  return { own: windows.filter(isOwn), spread: windows.filter((window) => !isOwn(window)) };
}
