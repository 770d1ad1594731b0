import { sortRows } from '../../../query/groups/paced-sort.ts';
import type { Pace } from '../../../turns/pace.ts';
import { windowStart } from '../server/window-lengths.ts';
import type { Strings } from './byte-reader.ts';
import {
  isOneColumn,
  noLevel,
  offsetOf,
  type RangeDelete,
  type Slice,
  type ValueBlock,
  windowBits,
} from './slice.ts';

/**
 * Of values that came with versions those that count: of one time and tag set the newest that is not deleted. Most
 * columns have nothing to tell apart, and stay as they are; of the others the values that count become a block and a
 * piece of the slice.
 *
 * @param order of the pieces: by column, and in it by their first times
 * @returns the pieces that count, in such an order
 */
export async function newestPieces(slice: Slice, order: Uint32Array, pace: Pace): Promise<Uint32Array> {
  const { pieces } = slice;
  const deletes = deletesByColumn(slice);
  const kept: number[] = [];
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && isOneColumn(pieces, order[from]!, order[to]!)) to++;
    const column = order.subarray(from, to);
    const [first] = column;
    const gone = deletes.get(columnKey(pieces.streams[first!]!, pieces.parameters[first!]!)) ?? [];
    if (gone.length === 0 && !hasOverlap(slice, column)) for (const piece of column) kept.push(piece);
    else kept.push(...(await newestPiece(slice, column, gone, pace)));
    from = to;
    const turn = pace();
    if (turn !== undefined) await turn;
  }
  return Uint32Array.from(kept);
}

function columnKey(stream: number, parameter: number): string {
  return `${stream} ${parameter}`;
}

function deletesByColumn({ deletes }: Slice): Map<string, RangeDelete[]> {
  const found = new Map<string, RangeDelete[]>();
  for (const gone of deletes) {
    const key = columnKey(gone.stream, gone.parameter);
    const others = found.get(key);
    if (others === undefined) found.set(key, [gone]);
    else others.push(gone);
  }
  return found;
}

function hasOverlap({ blocks, pieces }: Slice, column: Uint32Array): boolean {
  let last = -1;
  for (const piece of column) {
    const block = blocks[pieces.blocks[piece]!]!;
    if (offsetOf(block, pieces.starts[piece]!) <= last) return true;
    last = offsetOf(block, pieces.ends[piece]! - 1);
  }
  return false;
}

/** All values of a column by time, tags and age: the newest of each first. */
async function newestPiece(
  { blocks, pieces, tagSets }: Slice,
  column: Uint32Array,
  deletes: readonly RangeDelete[],
  pace: Pace,
): Promise<number[]> {
  let count = 0;
  for (const piece of column) count += pieces.ends[piece]! - pieces.starts[piece]!;
  const pieceOf = new Uint32Array(count);
  const placeOf = new Uint32Array(count);
  const offsets = new Float64Array(count);
  const tags = new Uint32Array(count);
  let filled = 0;
  for (const piece of column) {
    const block = blocks[pieces.blocks[piece]!]!;
    for (let value = pieces.starts[piece]!; value < pieces.ends[piece]!; value++, filled++) {
      pieceOf[filled] = piece;
      placeOf[filled] = value;
      offsets[filled] = offsetOf(block, value);
      tags[filled] = block.tagSets[block.tagIndex[value]!]!;
    }
  }
  const versionOf = (i: number) => pieces.versions[pieceOf[i]!]!;
  const levelOf = (i: number) => pieces.levels[pieceOf[i]!]!;
  const isOne = (a: number, b: number) => offsets[a] === offsets[b] && tags[a] === tags[b];
  const order = await sortRows(
    count,
    (a, b) => {
      const distance = offsets[a]! - offsets[b]! || tags[a]! - tags[b]!;
      if (distance !== 0) return distance;
      const [left, right] = [versionOf(a), versionOf(b)];
      return left === right ? 0 : left > right ? -1 : 1;
    },
    pace,
  );

  const window = pieces.windows[column[0]!]!;
  const isDeleted = deletedAlong(deletes, BigInt(window) << windowBits);
  const chosen: number[] = [];
  for (const value of order) {
    if (chosen.length > 0 && isOne(chosen.at(-1)!, value)) continue;
    if (!isDeleted(offsets[value]!, tags[value]!, versionOf(value), levelOf(value))) chosen.push(value);
  }
  if (chosen.length === 0) return [];

  const source = (value: number) => blocks[pieces.blocks[pieceOf[value]!]!]!;
  const times = new Int32Array(2 * chosen.length);
  const numbers = new Float64Array(chosen.length);
  chosen.forEach((value, i) => {
    const block = source(value);
    const place = placeOf[value]!;
    times[2 * i] = block.times[2 * place]!;
    times[2 * i + 1] = block.times[2 * place + 1]!;
    numbers[i] = block.numbers[place]!;
  });
  const block: ValueBlock = {
    times,
    numbers,
    tagIndex: Uint32Array.from(chosen, (value) => tags[value]!),
    tagSets: Int32Array.from(tagSets, (_, i) => i),
    texts: blocks[0]!.texts && textsOf(chosen.map((value) => [source(value).texts!, placeOf[value]!])),
  };
  const [first] = column;
  pieces.windows.push(window);
  pieces.streams.push(pieces.streams[first!]!);
  pieces.parameters.push(pieces.parameters[first!]!);
  pieces.blocks.push(blocks.push(block) - 1);
  pieces.starts.push(0);
  pieces.versions.push(0n);
  pieces.levels.push(noLevel);
  return [pieces.ends.push(chosen.length) - 1];
}

/** Asked for values in the order of time: whether a delete takes one. Offsets are ns from `base`. */
function deletedAlong(
  deletes: readonly RangeDelete[],
  base: bigint,
): (offset: number, tags: number, version: bigint, level: number) => boolean {
  const coming = deletes.toSorted((a, b) => (a.first < b.first ? -1 : 1));
  let begun = 0;
  let reaching: RangeDelete[] = [];
  return (offset, tags, version, level) => {
    if (coming.length === 0) return false;
    const time = base + BigInt(offset);
    while (begun < coming.length && coming[begun]!.first <= time) reaching.push(coming[begun++]!);
    if (reaching.some(({ last }) => last < time)) reaching = reaching.filter(({ last }) => last >= time);
    return reaching.some(
      (gone) =>
        gone.tags === tags &&
        gone.level === level &&
        version <= gone.version &&
        windowStart(gone.first, level) === windowStart(time, level),
    );
  };
}

function textsOf(values: readonly (readonly [texts: Strings, place: number])[]): Strings {
  const pieces = values.map(([{ bytes, ends }, place]) =>
    bytes.subarray(place === 0 ? 0 : ends[place - 1]!, ends[place]!),
  );
  let end = 0;
  const ends = Uint32Array.from(pieces, ({ length }) => {
    end += length;
    return end;
  });
  return { bytes: Buffer.concat(pieces), ends };
}
