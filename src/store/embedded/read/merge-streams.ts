import { gatherRows } from '../rows/gather-rows.ts';
import type { PlacedGroup, RowGroup } from '../rows/row-group.ts';

/** A row group with rows of several streams; its own `stream` means nothing. */
export interface RowsOfStreams extends PlacedGroup {
  /** Per row the place of its stream in the order of streams; undefined means that all are of the first. */
  readonly streamIndex: Uint32Array | undefined;
}

/** Rows gathered into one block at the most. */
const blockRows = 8192;

/** One stream's rows, and a bound that none of them comes before (in the wanted direction). */
export interface StreamRows {
  readonly groups: AsyncGenerator<PlacedGroup>;
  readonly window: number;
  readonly offset: number;
}

interface Cursor {
  /** The stream's place in the order. */
  readonly rank: number;
  readonly groups: AsyncGenerator<PlacedGroup>;
  window: number;
  /** Of the row at hand; before the first group, the bound. */
  offset: number;
  group: RowGroup;
  row: number;
}

/**
 * Merges streams into one sequence ordered by (time, stream rank). `streams` come in the order that decides
 * between equal times; each gives its rows in the wanted direction, and is not read before its bound is reached.
 */
export async function* mergeStreams(
  streams: readonly StreamRows[],
  parameters: readonly number[],
  descending: boolean,
): AsyncGenerator<RowsOfStreams> {
  const cursors: Cursor[] = [];
  const heap = cursorHeap(descending);
  for (const [rank, { groups, window, offset }] of streams.entries()) {
    const cursor: Cursor = { rank, groups, window, offset, group: emptyGroup, row: -1 };
    cursors.push(cursor);
    heap.push(cursor);
  }
  const picked = pickedRows();
  try {
    for (let cursor = heap.top(); cursor !== undefined; cursor = heap.top()) {
      if (cursor.row >= 0) {
        if (picked.count > 0 && (picked.window !== cursor.window || picked.count >= blockRows))
          yield picked.take(parameters);
        picked.add(cursor);
      }
      const moved = toNextRow(cursor);
      if (moved === true || (await moved)) heap.sink();
      else heap.pop();
    }
    if (picked.count > 0) yield picked.take(parameters);
  } finally {
    for (const { groups } of cursors) await groups.return(undefined);
  }
}

const emptyGroup: RowGroup = {
  stream: 0,
  count: 0,
  offsets: new Float64Array(0),
  tagSets: [],
  tagIndex: undefined,
  columns: [],
};

/** Moves to the stream's next row; a promise only where that is in another group. */
function toNextRow(cursor: Cursor): boolean | Promise<boolean> {
  cursor.row++;
  if (cursor.row >= cursor.group.count) return nextGroup(cursor);
  cursor.offset = cursor.group.offsets[cursor.row]!;
  return true;
}

async function nextGroup(cursor: Cursor): Promise<boolean> {
  const next = await cursor.groups.next();
  if (next.done === true) return false;
  cursor.window = next.value.window;
  cursor.group = next.value.group;
  cursor.row = 0;
  cursor.offset = cursor.group.offsets[0]!;
  return true;
}

/** A binary heap of cursors by (window, offset, rank); descending turns all three round. */
function cursorHeap(descending: boolean) {
  const items: Cursor[] = [];
  const sign = descending ? -1 : 1;
  const before = (a: Cursor, b: Cursor): boolean => {
    const order = a.window - b.window || a.offset - b.offset || a.rank - b.rank;
    return order * sign < 0;
  };
  const sinkFrom = (start: number) => {
    let at = start;
    for (;;) {
      let first = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < items.length && before(items[child]!, items[first]!)) first = child;
      }
      if (first === at) return;
      [items[at], items[first]] = [items[first]!, items[at]!];
      at = first;
    }
  };
  return {
    top: () => items[0],
    push(cursor: Cursor) {
      items.push(cursor);
      for (let at = items.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1;
        if (!before(items[at]!, items[parent]!)) return;
        [items[at], items[parent]] = [items[parent]!, items[at]!];
        at = parent;
      }
    },
    pop() {
      const last = items.pop();
      if (last === undefined || items.length === 0) return;
      items[0] = last;
      sinkFrom(0);
    },
    /** The top's key grew: puts it where it belongs now. */
    sink: () => sinkFrom(0),
  };
}

/** The rows chosen for the next block, as references until the block is gathered. */
function pickedRows() {
  let groups: RowGroup[] = [];
  let indexOf = new Map<RowGroup, number>();
  const sources = new Uint32Array(blockRows);
  const rows = new Uint32Array(blockRows);
  const streams = new Uint32Array(blockRows);
  let count = 0;
  let window = 0;
  return {
    get count() {
      return count;
    },
    get window() {
      return window;
    },
    add(cursor: Cursor) {
      let source = indexOf.get(cursor.group);
      if (source === undefined) {
        source = groups.length;
        indexOf.set(cursor.group, source);
        groups.push(cursor.group);
      }
      window = cursor.window;
      sources[count] = source;
      rows[count] = cursor.row;
      streams[count] = cursor.rank;
      count++;
    },
    take(parameters: readonly number[]): RowsOfStreams {
      const group = gatherRows(groups, sources.slice(0, count), rows.slice(0, count), parameters);
      const taken = { window, group, streamIndex: streams.slice(0, count) };
      groups = [];
      indexOf = new Map();
      count = 0;
      return taken;
    },
  };
}
