import type { RowCollector } from '../parts/row-collector.ts';
import { cutInTime } from '../rows/cut-in-time.ts';
import { maxGroupBytes, maxGroupRows, parametersOf, type RowGroup } from '../rows/row-group.ts';
import { heldRows } from './held-rows.ts';
import { sourceQueue, type TakenSource } from './source-queue.ts';

/** Rows of one family of columns, in pieces that are loaded when their time comes; the later ones win. */
export interface RowSources {
  readonly count: number;
  /** Offsets that no row of a source is before or after. */
  first(source: number): number;
  last(source: number): number;
  /**
   * The rows of a source in order, each with a value; undefined where there are none. Asked again, the same: not all of
   * them may have found room.
   */
  load(source: number): RowGroup | undefined | Promise<RowGroup | undefined>;
  /** What writes a source as it is, where no other has rows between its own; false where that is no gain. */
  copy?(source: number): Promise<false | (() => void)>;
}

/**
 * What waits to be merged takes no more memory than this: room for one row group that is loaded, and for those that are
 * made, is left of 64 MiB.
 */
const maxHeldBytes = 2.5 * maxGroupBytes;

/**
 * Merges sources in order of time. In memory are those that reach over the same time, and about two row groups:
 * what lies before the next source is complete. Where that would take too much, the later half of what is held is
 * dropped, and loaded again when the earlier one is written.
 *
 * @param maxBytes what rows may take that wait; rows of one time are never parted
 */
export async function mergeRows(
  sources: RowSources,
  output: RowCollector,
  maxBytes = maxHeldBytes,
): Promise<void> {
  if (sources.count === 1 && sources.copy === undefined) {
    const group = await sources.load(0);
    if (group !== undefined && group.count > 0) output.add([group]);
    output.end();
    return;
  }
  const queue = sourceQueue(sources);
  const held = heldRows();
  let enough = 1;
  let limit = maxBytes;

  function writeBelow(offset: number, apart = false): void {
    for (const groups of cutInTime(held.takeBelow(offset, apart), isStep)) output.add(groups);
    enough = held.share() + 1;
  }

  /** Makes room when too much is held: for so much that this is not soon again. */
  function makeRoom(): void {
    writeBelow(queue.nextFirst(), true);
    limit = maxBytes;
    while (4 * held.memory() > 3 * maxBytes) {
      const dropped = held.dropLater();
      if (dropped === undefined) {
        // Rows of one time: looking at them again pays when there are twice as many.
        limit = Math.max(maxBytes, 2 * held.memory());
        break;
      }
      queue.putOff(dropped.ranks, dropped.from);
    }
    enough = held.share() + 1;
  }

  /** Nothing of what is loaded outlives this, but what is held. */
  function load(taken: TakenSource): Promise<void> | undefined {
    const hold = (loaded: RowGroup | undefined) => {
      const group = loaded && queue.inTurn(taken, loaded);
      if (group !== undefined && group.count > 0) held.add(taken.source, group);
    };
    const loading = sources.load(taken.source);
    if (loading instanceof Promise) return loading.then(hold);
    hold(loading);
    return undefined;
  }

  for (;;) {
    const taken = queue.take();
    if (taken === undefined) {
      writeBelow(queue.end());
      if (queue.putBack()) continue;
      break;
    }
    const { source, first, isWhole } = taken;
    const isAlone = () => isWhole && queue.nextFirst() > sources.last(source);
    const copy = sources.copy !== undefined && isAlone() && (await sources.copy(source));
    if (copy || held.share() >= enough) writeBelow(first);
    if (copy && held.isEmpty() && output.canEnd()) {
      output.end();
      copy();
      continue;
    }
    const loading = load(taken);
    if (loading !== undefined) await loading;
    if (held.memory() > limit) makeRoom();
  }
  output.end();
}

/** Whether rows may be merged at once: no more than two row groups. */
function isStep(groups: readonly RowGroup[]): boolean {
  if (groups.length === 1) return true;
  const rows = groups.reduce((sum, { count }) => sum + count, 0);
  return rows <= 2 * maxGroupRows && 8 * rows * parametersOf(groups).length <= 2 * maxGroupBytes;
}
