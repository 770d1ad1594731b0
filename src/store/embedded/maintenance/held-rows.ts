import { sliceRows } from '../../../domain/slice-rows.ts';
import { timeInMiddle } from '../rows/cut-in-time.ts';
import { copyRows } from '../rows/gather-rows.ts';
import { firstRowFrom, maxGroupBytes, maxGroupRows, placeBytes, type RowGroup } from '../rows/row-group.ts';

/** Rows of several sources that wait until all that belongs between them is loaded. */
export interface HeldRows {
  /** Of how many row groups these are the rows, by their number or their bytes. */
  share(): number;
  /** The bytes that they keep in memory. */
  memory(): number;
  isEmpty(): boolean;
  add(rank: number, group: RowGroup): void;
  /**
   * Lets the rows before an offset go, in order of rank.
   *
   * @param apart whether these and the others of a group are not to keep each other in memory
   */
  takeBelow(offset: number, apart: boolean): readonly RowGroup[];
  /**
   * Lets the later half go, and says from which offset on, and of which sources that takes rows; undefined where all
   * rows are of one time.
   */
  dropLater(): { readonly from: number; readonly ranks: readonly number[] } | undefined;
}

interface Held {
  readonly rank: number;
  readonly group: RowGroup;
  /** The bytes of the arrays of which the group may be a part. */
  readonly memory: number;
}

/** What an array takes besides its bytes, with the objects about it. */
const arrayOverhead = 128;

export function heldRows(): HeldRows {
  let held: Held[] = [];
  let memory = 0;
  let share = 0;

  function set(next: Held[]): void {
    held = next;
    memory = held.reduce((sum, one) => sum + one.memory, 0);
    share = held.reduce((sum, { group }) => sum + shareOf(group), 0);
  }

  return {
    share: () => share,
    memory: () => memory,
    isEmpty: () => held.length === 0,
    add(rank, group) {
      const added = { rank, group, memory: memoryOf(group) };
      held.push(added);
      memory += added.memory;
      share += shareOf(group);
    },
    takeBelow(offset, apart) {
      held.sort((a, b) => a.rank - b.rank);
      const below: RowGroup[] = [];
      const above: Held[] = [];
      for (const one of held) {
        const { count, offsets } = one.group;
        const end = firstRowFrom(offsets, offset);
        if (end > 0) below.push(piece(one, 0, end, apart).group);
        if (end < count) above.push(piece(one, end, count, apart));
      }
      set(above);
      return below;
    },
    dropLater() {
      const from = timeInMiddle(held.map(({ group }) => group));
      if (from === undefined) return undefined;
      const ranks: number[] = [];
      const earlier: Held[] = [];
      for (const one of held) {
        const rows = firstRowFrom(one.group.offsets, from);
        if (rows < one.group.count) ranks.push(one.rank);
        if (rows > 0) earlier.push(piece(one, 0, rows, true));
      }
      set(earlier);
      return { from, ranks };
    },
  };
}

/** Some rows of a group; `apart` has them in memory of their own if they are not most of what is kept for them. */
function piece({ rank, group, memory }: Held, from: number, to: number, apart: boolean): Held {
  const rows = sliceRows(group, from, to);
  if (!apart || 2 * memoryOf(rows) > memory) return { rank, group: rows, memory };
  const copy = copyRows(group, from, to);
  return { rank, group: copy, memory: memoryOf(copy) };
}

/** The share of a row group that rows fill: of its rows or of its bytes. */
function shareOf(group: RowGroup): number {
  return Math.max(group.count / maxGroupRows, placeBytes(group) / maxGroupBytes);
}

/** Bytes that a group takes if its arrays have no more than its rows. */
function memoryOf({ count, columns, tagIndex }: RowGroup): number {
  let bytes = arrayOverhead + (tagIndex === undefined ? 8 : 12) * count;
  for (const column of columns) {
    bytes += arrayOverhead + ('ends' in column ? column.bytes.length + 4 * count : 8 * count);
    if (column.present !== undefined) bytes += arrayOverhead + (count >> 3);
  }
  return bytes;
}
