import type { RowCollector } from '../parts/row-collector.ts';
import { cutInTime, splitAt } from '../rows/cut-in-time.ts';
import { maxGroupBytes, maxGroupRows, parametersOf, placeBytes, type RowGroup } from '../rows/row-group.ts';

/** Rows of one family of columns, in pieces that are loaded when their time comes; the later ones win. */
export interface RowSources {
  readonly count: number;
  /** Offsets that no row of a source is before or after. */
  first(source: number): number;
  last(source: number): number;
  /** The rows of a source in order, each with a value; undefined where there are none. */
  load(source: number): RowGroup | undefined | Promise<RowGroup | undefined>;
  /** What writes a source as it is, where no other has rows between its own; false where that is no gain. */
  copy?(source: number): Promise<false | (() => void)>;
}

/**
 * Merges sources in order of time. In memory are those that reach over the same time, and about two row groups:
 * what lies before the next source is complete.
 */
export async function mergeRows(sources: RowSources, output: RowCollector): Promise<void> {
  if (sources.count === 1 && sources.copy === undefined) {
    const group = await sources.load(0);
    if (group !== undefined && group.count > 0) output.add([group]);
    output.end();
    return;
  }
  const firsts = new Float64Array(sources.count);
  for (let source = 0; source < sources.count; source++) firsts[source] = sources.first(source);
  const order = inOrder(firsts);
  /** Loaded rows in order of rank. */
  let held: Held[] = [];
  let size = 0;
  let enough = 1;

  function writeBelow(offset: number): void {
    held.sort((a, b) => a.rank - b.rank);
    const [below, above] = splitAt(
      held.map(({ group }) => group),
      offset,
    );
    for (const groups of cutInTime(below, isStep)) output.add(groups);
    const ranks = held.filter(({ group }) => group.offsets[group.count - 1]! >= offset);
    held = above.map((group, i) => ({ rank: ranks[i]!.rank, group }));
    size = above.reduce((sum, group) => sum + sizeOf(group), 0);
    enough = size + 1;
  }

  for (const [place, source] of order.entries()) {
    const first = firsts[source]!;
    const next = order[place + 1];
    const isAlone = () => next === undefined || firsts[next]! > sources.last(source);
    const copy = sources.copy !== undefined && isAlone() && (await sources.copy(source));
    if (copy || size >= enough) writeBelow(first);
    if (copy && held.length === 0 && output.canEnd()) {
      output.end();
      copy();
      continue;
    }
    const loading = sources.load(source);
    const group = loading instanceof Promise ? await loading : loading;
    if (group === undefined || group.count === 0) continue;
    held.push({ rank: source, group });
    size += sizeOf(group);
  }
  writeBelow(Number.POSITIVE_INFINITY);
  output.end();
}

interface Held {
  readonly rank: number;
  readonly group: RowGroup;
}

/** Sources in order of time, of one time in order of rank. */
function inOrder(firsts: Float64Array): Uint32Array {
  const order = Uint32Array.from(firsts.keys());
  for (let i = 1; i < firsts.length; i++) {
    if (firsts[i - 1]! > firsts[i]!) return order.sort((a, b) => firsts[a]! - firsts[b]! || a - b);
  }
  return order;
}

/** The share of a row group that rows fill: of its rows or of its bytes. */
function sizeOf(group: RowGroup): number {
  return Math.max(group.count / maxGroupRows, placeBytes(group) / maxGroupBytes);
}

/** Whether rows may be merged at once: no more than two row groups. */
function isStep(groups: readonly RowGroup[]): boolean {
  if (groups.length === 1) return true;
  const rows = groups.reduce((sum, { count }) => sum + count, 0);
  return rows <= 2 * maxGroupRows && 8 * rows * parametersOf(groups).length <= 2 * maxGroupBytes;
}
