import { type Column, Kind, type ParameterKey } from '../../../domain/parameter-data.ts';
import type { StreamKey } from '../../../domain/stream.ts';
import { compareTagSets, compareText, type TagSet, tagSetOfKey } from '../../../domain/tags.ts';
import type { Position } from '../../../query/cursor.ts';
import { sortRows } from '../../../query/paced-sort.ts';
import type { Pause } from '../../../query/pause.ts';
import type { ReadPlan } from '../../../query/plan.ts';
import type { RowBlock } from '../../store.ts';
import { type Slice, type SliceWindow, windowBits } from './slice.ts';

/** Rows of a block at the most, and bytes of its strings and binaries unless one row has more. */
const blockRows = 8192;
const blockBytes = 1024 * 1024;

/** The values of a slice put together to rows, in the plan's order; those that are not behind `after` are left out. */
export async function* sliceRows(
  slice: Slice,
  { parameters, order: direction, after }: Pick<ReadPlan, 'parameters' | 'order' | 'after'>,
  pause: Pause,
): AsyncGenerator<RowBlock> {
  const ranks = await ranksOf(slice, pause);
  const descending = direction === 'Desc';
  const numbers = [...slice.windows.keys()].sort((a, b) => (descending ? b - a : a - b));
  for (const number of numbers) {
    const window = slice.windows.get(number)!;
    const { count, offsets, identities } = window;
    const order = await sortRows(
      count,
      (a, b) => offsets[a]! - offsets[b]! || ranks[identities[a]!]! - ranks[identities[b]!]!,
      pause,
    );
    if (descending) order.reverse();
    const base = BigInt(number) << windowBits;
    const isBehind = after && behind(after, slice, base, descending);
    for (let at = 0; at < count; ) {
      const rows = cutRows(window, order, at, parameters.length, isBehind);
      at = rows.end;
      if (rows.count > 0) yield blockOf(slice, window, base, parameters, rows);
      const turn = pause();
      if (turn !== undefined) await turn;
    }
  }
}

/** The place of each identity in the order of rows of one time. */
async function ranksOf({ identities, streams, tagSets }: Slice, pause: Pause): Promise<Uint32Array> {
  const order = await sortRows(
    identities.length,
    (a, b) => {
      const [left, right] = [identities[a]!, identities[b]!];
      return (
        compareStreams(streams[left.stream]!, streams[right.stream]!) ||
        compareTagSets(tagSets[left.tags]!, tagSets[right.tags]!)
      );
    },
    pause,
  );
  const ranks = new Uint32Array(order.length);
  order.forEach((identity, rank) => {
    ranks[identity] = rank;
  });
  return ranks;
}

function compareStreams(a: StreamKey, b: StreamKey): number {
  return compareText(a.streamId, b.streamId) || compareText(a.topic, b.topic);
}

type IsBehind = (offset: number, identity: number) => boolean;

function behind(after: Position, slice: Slice, base: bigint, descending: boolean): IsBehind {
  const tags = tagSetOfKey(after.tags);
  const offset = after.timestamp - base;
  const compare = (offsetOfRow: number, identity: number): number => {
    const distance = BigInt(offsetOfRow) - offset;
    if (distance !== 0n) return distance < 0n ? -1 : 1;
    const { stream, tags: set } = slice.identities[identity]!;
    return compareStreams(slice.streams[stream]!, after) || compareTagSets(slice.tagSets[set]!, tags);
  };
  return (offsetOfRow, identity) =>
    descending ? compare(offsetOfRow, identity) < 0 : compare(offsetOfRow, identity) > 0;
}

/** Rows of one block. */
interface CutRows {
  readonly count: number;
  /** Where the values end in the order. */
  readonly end: number;
  /** Per row one of its values. */
  readonly first: Uint32Array;
  /** Per parameter and row the value; -1 where there is none. Undefined where no row has one. */
  readonly values: readonly (Int32Array | undefined)[];
}

function cutRows(
  window: SliceWindow,
  order: Uint32Array,
  from: number,
  width: number,
  isBehind: IsBehind | undefined,
): CutRows {
  const { offsets, identities, parameters } = window;
  const first = new Uint32Array(blockRows);
  const values: (Int32Array | undefined)[] = new Array<undefined>(width).fill(undefined);
  let count = 0;
  let bytes = 0;
  let at = from;
  let last = -1;
  let skipped = -1;
  for (; at < order.length; at++) {
    const value = order[at]!;
    const startsRow = last < 0 || !isSameRow(offsets, identities, last, value);
    if (startsRow) {
      if (isBehind !== undefined) {
        if (skipped >= 0 && isSameRow(offsets, identities, skipped, value)) continue;
        if (!isBehind(offsets[value]!, identities[value]!)) {
          skipped = value;
          continue;
        }
      }
      if (count === blockRows || bytes >= blockBytes) break;
      first[count++] = value;
      last = value;
    }
    const parameter = parameters[value]!;
    let column = values[parameter];
    if (column === undefined) {
      column = new Int32Array(blockRows).fill(-1);
      values[parameter] = column;
    }
    column[count - 1] = value;
    if (window.texts.length > 0) bytes += lengthOf(window, value);
  }
  return { count, end: at, first: first.subarray(0, count), values };
}

function isSameRow(offsets: Float64Array, identities: Uint32Array, a: number, b: number): boolean {
  return offsets[a] === offsets[b] && identities[a] === identities[b];
}

function blockOf(
  slice: Slice,
  window: SliceWindow,
  base: bigint,
  parameters: readonly ParameterKey[],
  { count, first, values }: CutRows,
): RowBlock {
  const offsets = new Float64Array(count);
  for (let row = 0; row < count; row++) offsets[row] = window.offsets[first[row]!]!;
  const identityOf = (row: number) => slice.identities[window.identities[first[row]!]!]!;
  const streams = dictionary(count, slice.streams, (row) => identityOf(row).stream);
  const tags = dictionary(count, slice.tagSets, (row) => identityOf(row).tags);
  return {
    count,
    base,
    offsets,
    streams: streams.entries,
    streamIndex: streams.index,
    tagSets: tags.entries,
    tagIndex: tags.index,
    columns: values.map((ofRows, i) => ofRows && columnOf(window, parameters[i]!, ofRows, count)),
  };
}

/** What rows have of a list, each entry once, and per row an index into those. */
function dictionary<Entry extends StreamKey | TagSet>(
  count: number,
  all: readonly Entry[],
  indexOf: (row: number) => number,
): { entries: Entry[]; index: Uint32Array | undefined } {
  const places = new Map<number, number>();
  const index = new Uint32Array(count);
  let last = -1;
  let place = 0;
  for (let row = 0; row < count; row++) {
    const number = indexOf(row);
    if (number !== last) {
      last = number;
      place = places.get(number) ?? places.size;
      places.set(number, place);
    }
    index[row] = place;
  }
  const entries = Array.from(places.keys(), (number) => all[number]!);
  return { entries, index: entries.length === 1 ? undefined : index };
}

function columnOf(
  window: SliceWindow,
  { kind, name }: ParameterKey,
  ofRows: Int32Array,
  count: number,
): Column {
  const bits = new Uint8Array((count + 7) >> 3);
  let found = 0;
  for (let row = 0; row < count; row++) {
    if (ofRows[row]! < 0) continue;
    bits[row >> 3]! |= 1 << (row & 7);
    found++;
  }
  const present = found === count ? undefined : bits;
  if (kind !== Kind.Numeric) return { kind, name, ...textsOf(window, ofRows, count), present };
  const values = new Float64Array(count);
  for (let row = 0; row < count; row++) if (ofRows[row]! >= 0) values[row] = window.numbers[ofRows[row]!]!;
  return { kind, name, values, present };
}

function textsOf(window: SliceWindow, ofRows: Int32Array, count: number) {
  let length = 0;
  for (let row = 0; row < count; row++) if (ofRows[row]! >= 0) length += lengthOf(window, ofRows[row]!);
  const bytes = new Uint8Array(length);
  const ends = new Uint32Array(count);
  let filled = 0;
  for (let row = 0; row < count; row++) {
    const value = ofRows[row]!;
    if (value >= 0) {
      const { bytes: source, ends: sourceEnds } = window.texts[window.chunks[value]!]!;
      const place = window.places[value]!;
      const start = place === 0 ? 0 : sourceEnds[place - 1]!;
      bytes.set(source.subarray(start, sourceEnds[place]!), filled);
      filled += sourceEnds[place]! - start;
    }
    ends[row] = filled;
  }
  return { bytes, ends };
}

function lengthOf(window: SliceWindow, value: number): number {
  const { ends } = window.texts[window.chunks[value]!]!;
  const place = window.places[value]!;
  return ends[place]! - (place === 0 ? 0 : ends[place - 1]!);
}
