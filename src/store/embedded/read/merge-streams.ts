import { compareStreamKeys, type StreamKey } from '../../../domain/stream.ts';
import { gatherRows } from '../rows/gather-rows.ts';
import type { PlacedGroup, RowGroup } from '../rows/row-group.ts';

/** A row group with rows of several streams; its own `stream` means nothing. */
export interface RowsOfStreams extends PlacedGroup {
  /** Per row the place of its stream in `streams`; undefined means that all are of the first. */
  readonly streamIndex: Uint32Array | undefined;
  readonly streams: readonly StreamKey[];
  /** As in `RowBlock`. */
  readonly apart?: 'part' | 'whole' | undefined;
}

/** Rows gathered into one block at the most. */
const blockRows = 8192;
/** The fewest rows that a block has room for: some may be left out later. */
const fewRows = 64;

/** One stream's rows, and a bound that none of them comes before (in the wanted direction). */
export interface StreamRows {
  /** Decides between equal times. */
  readonly key: StreamKey;
  readonly groups: AsyncGenerator<PlacedGroup>;
}

/** Streams that are not read yet, in order of their bounds (in the wanted direction), then of their keys. */
export interface WaitingStreams {
  /** The next one, still closed. */
  top(): { readonly window: number; readonly offset: number; readonly key: StreamKey } | undefined;
  /** Opens it. */
  take(): StreamRows;
}

interface Cursor extends StreamRows {
  window: number;
  /** Of the row at hand. */
  offset: number;
  group: RowGroup;
  row: number;
}

/**
 * Merges streams into one sequence ordered by (time, stream key). Each stream gives its rows in the wanted direction,
 * and is not opened before its bound is reached.
 *
 * @param limit so many rows are wanted, at least
 */
export async function* mergeStreams(
  waiting: WaitingStreams,
  parameters: readonly number[],
  descending: boolean,
  limit: number,
): AsyncGenerator<RowsOfStreams> {
  const maxRows = Math.min(blockRows, Math.max(fewRows, limit));
  const heap = cursorHeap(descending);
  const picked = pickedRows(maxRows);
  try {
    for (;;) {
      const cursor = heap.top();
      const next = waiting.top();
      if (next !== undefined && (cursor === undefined || heap.isBefore(next, cursor))) {
        const opened = { window: 0, offset: 0, group: emptyGroup, row: -1, ...waiting.take() };
        heap.opened.add(opened);
        if (await nextGroup(opened)) heap.push(opened);
        else heap.opened.delete(opened);
        continue;
      }
      if (cursor === undefined) break;
      const count = picked.count();
      if (count > 0 && (picked.window() !== cursor.window || count >= maxRows)) yield picked.take(parameters);
      picked.add(cursor);
      const moved = toNextRow(cursor);
      if (moved === true || (await moved)) heap.sink();
      else heap.opened.delete(heap.pop()!);
    }
    if (picked.count() > 0) yield picked.take(parameters);
  } finally {
    for (const { groups } of heap.opened) await groups.return(undefined);
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

type InTime = Pick<Cursor, 'window' | 'offset' | 'key'>;

/** A binary heap of cursors by (window, offset, key); descending turns all three round. */
function cursorHeap(descending: boolean) {
  const items: Cursor[] = [];
  const sign = descending ? -1 : 1;
  const before = (a: InTime, b: InTime): boolean => {
    const order = a.window - b.window || a.offset - b.offset || compareStreamKeys(a.key, b.key);
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
    /** All cursors that are not at their end, in the heap or on their way. */
    opened: new Set<Cursor>(),
    isBefore: before,
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
    pop(): Cursor | undefined {
      const top = items[0];
      const last = items.pop();
      if (last === undefined || items.length === 0) return top;
      items[0] = last;
      sinkFrom(0);
      return top;
    },
    /** The top's key grew: puts it where it belongs now. */
    sink: () => sinkFrom(0),
  };
}

/** The rows chosen for the next block, as references until the block is gathered. */
function pickedRows(maxRows: number) {
  let groups: RowGroup[] = [];
  let indexOf = new Map<RowGroup, number>();
  const keys = keyList();
  const sources = new Uint32Array(maxRows);
  const rows = new Uint32Array(maxRows);
  const streams = new Uint32Array(maxRows);
  let count = 0;
  let window = 0;
  return {
    count: () => count,
    window: () => window,
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
      streams[count] = keys.indexOf(cursor.key);
      count++;
    },
    take(parameters: readonly number[]): RowsOfStreams {
      const group = gatherRows(groups, sources.slice(0, count), rows.slice(0, count), parameters);
      const taken = { window, group, streamIndex: streams.slice(0, count), streams: keys.take() };
      groups = [];
      indexOf = new Map();
      count = 0;
      return taken;
    },
  };
}

/** The most streams of the list of those that a block may name; with more it begins anew. */
const maxKeys = 8192;

/** The streams that rows were picked of: blocks share a list for as long as it does not grow. */
function keyList() {
  let keys: StreamKey[] = [];
  let places = new Map<StreamKey, number>();
  let taken: readonly StreamKey[] = [];
  return {
    indexOf(key: StreamKey): number {
      let place = places.get(key);
      if (place === undefined) {
        place = keys.push(key) - 1;
        places.set(key, place);
      }
      return place;
    },
    take(): readonly StreamKey[] {
      if (taken.length !== keys.length) taken = [...keys];
      const list = taken;
      if (keys.length > maxKeys) {
        keys = [];
        places = new Map();
        taken = [];
      }
      return list;
    },
  };
}
