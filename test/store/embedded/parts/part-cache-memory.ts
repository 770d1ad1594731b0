/**
 * A process of its own that fills a cache of parts with entries of one shape, and prints how many bytes its memory grew
 * and how many the cache counts. Shapes are named by the argument.
 */

import { Kind } from '../../../../src/domain/parameter-data.ts';
import { noTags } from '../../../../src/domain/tags.ts';
import type { GroupHandle } from '../../../../src/store/embedded/codecs/row-group-directory.ts';
import { partCache } from '../../../../src/store/embedded/parts/part-cache.ts';
import { openPart, type PartReader } from '../../../../src/store/embedded/parts/part-reader.ts';
import { createPartWriter } from '../../../../src/store/embedded/parts/part-writer.ts';
import type { RowGroup } from '../../../../src/store/embedded/rows/row-group.ts';
import { bytesInUse } from '../../../collected.ts';
import { origin, writePart } from '../row-groups.ts';

/** Groups of so many streams, rows and columns, whose values are hard to make small. */
function groupsOf(streams: number, rows: number, columns: number): RowGroup[] {
  return Array.from({ length: streams }, (_, i) => ({
    stream: i + 1,
    count: rows,
    offsets: Float64Array.from({ length: rows }, (__, row) => row * 1000 + ((row * 7919) % 613)),
    tagSets: [noTags],
    tagIndex: undefined,
    columns: Array.from({ length: columns }, (__, parameter) => ({
      parameter: parameter + 1,
      kind: Kind.Numeric,
      values: Float64Array.from({ length: rows }, (___, row) => Math.sin(row * 37 + parameter + i)),
      present: undefined,
    })),
  }));
}

const pool = Buffer.alloc(1 << 20, 7);

/** Reads everything of a part of these groups through a cache. */
async function viewAll(streams: number, rows: number, columns: number): Promise<() => Promise<void>> {
  const { bytes } = writePart(groupsOf(streams, rows, columns));
  const ofPart = cache.ofPart();
  const load = async (from: number, length: number) => {
    const own = Buffer.allocUnsafeSlow(length);
    bytes.copy(own, 0, from, from + length);
    return own;
  };
  const part = await openPart({
    name: 'a.part',
    size: bytes.length,
    read: (from, length) => ofPart.read(from, length, () => load(from, length)),
    held: ofPart.held,
    markOf: ofPart.markOf,
  });
  const handles: GroupHandle[] = [];
  for (let stream = 1; stream <= streams; stream++)
    handles.push(...(await part.groupsOf(stream, 0, 2 ** 50)));
  const all = new Set(Array.from({ length: columns }, (_, i) => i + 1));
  return async () => {
    for (const handle of handles) await part.view(handle, all);
  };
}

/** A part of one stream, whose groups have different columns. */
function inFamilies(families: number, columns: number): Buffer {
  const pieces: Buffer[] = [];
  const writer = createPartWriter({ write: (bytes) => pieces.push(Buffer.from(bytes)) }, origin);
  const [group] = groupsOf(1, 1, columns);
  for (let family = 0; family < families; family++) {
    const moved = group!.columns.map((column) => ({
      ...column,
      parameter: column.parameter + family * columns,
    }));
    writer.beginFamily();
    writer.add({ ...group!, columns: moved });
  }
  writer.finish();
  return Buffer.concat(pieces);
}

/** Has the indexes of so many parts of these groups kept, and each asked for a parameter. */
async function indexAll(
  parts: number,
  streams: number,
  columns: number,
  families = 1,
): Promise<() => Promise<void>> {
  const bytes =
    families === 1 ? writePart(groupsOf(streams, 1, columns)).bytes : inFamilies(families, columns);
  const opened: PartReader[] = [];
  for (let i = 0; i < parts; i++) {
    const ofPart = cache.ofPart();
    const load = async (from: number, length: number) => {
      const own = Buffer.allocUnsafeSlow(length);
      bytes.copy(own, 0, from, from + length);
      return own;
    };
    const read = (from: number, length: number) => ofPart.read(from, length, () => load(from, length));
    opened.push(await openPart({ name: 'a.part', size: bytes.length, read }, cache.indexes));
  }
  return async () => {
    for (const part of opened) await part.groupsOf(1, 0, 1, new Set([1]));
  };
}

/** Puts blocks into the cache that no group belongs to. */
function blocksOf(count: number, make: () => Buffer): () => Promise<void> {
  const ofPart = cache.ofPart();
  return async () => {
    for (let i = 0; i < count; i++) await ofPart.read(i * 1000, i % 2 === 0 ? 90 : 100, async () => make());
  };
}

const shapes: Readonly<Record<string, () => Promise<() => Promise<void>> | (() => Promise<void>)>> = {
  small: () => viewAll(40_000, 2, 1),
  wide: () => viewAll(40, 3, 4000),
  large: () => viewAll(100, 4096, 6),
  manyIndexes: () => indexAll(2000, 3, 2),
  largeIndex: () => indexAll(2, 60_000, 1),
  wideIndex: () => indexAll(100, 3, 4000),
  searchedIndex: () => indexAll(100, 1, 4000, 3),
  tiny: () => blocksOf(100_000, () => Buffer.allocUnsafeSlow(90)),
  views: () => blocksOf(20_000, () => pool.subarray(500, 600)),
  ownLargeMemory: () => blocksOf(10_000, () => Buffer.alloc(20_000).subarray(0, 100)),
};

const cache = partCache(1 << 30);
const fill = await shapes[process.argv[2]!]!();

function memory(): Promise<number> {
  return bytesInUse(() => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  });
}

const before = await memory();
const counted = () => cache.bytes + cache.indexes.bytes;
const countedBefore = counted();
await fill();
const grown = (await memory()) - before;
console.log(JSON.stringify({ grown, counted: counted() - countedBefore }));
