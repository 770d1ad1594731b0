/**
 * A process of its own that fills a cache of parts with entries of one shape, and prints how many bytes its memory grew
 * and how many the cache counts. Shapes are named by the argument.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { noTags } from '../../../../src/domain/tags.ts';
import type { GroupHandle } from '../../../../src/store/embedded/codecs/row-group-directory.ts';
import { partCache } from '../../../../src/store/embedded/parts/part-cache.ts';
import { openPart } from '../../../../src/store/embedded/parts/part-reader.ts';
import type { RowGroup } from '../../../../src/store/embedded/rows/row-group.ts';
import { writePart } from '../row-groups.ts';

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
    layout: ofPart.layout,
  });
  const handles: GroupHandle[] = [];
  for (let stream = 1; stream <= streams; stream++)
    handles.push(...(await part.groupsOf(stream, 0, 2 ** 50)));
  const all = new Set(Array.from({ length: columns }, (_, i) => i + 1));
  return async () => {
    for (const handle of handles) await part.view(handle, all);
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
  tiny: () => blocksOf(100_000, () => Buffer.allocUnsafeSlow(90)),
  views: () => blocksOf(20_000, () => pool.subarray(500, 600)),
  ownLargeMemory: () => blocksOf(10_000, () => Buffer.alloc(20_000).subarray(0, 100)),
};

const cache = partCache(1 << 30);
const fill = await shapes[process.argv[2]!]!();

async function memory(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    globalThis.gc!();
    await pause(20);
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const before = await memory();
const countedBefore = cache.bytes;
await fill();
const grown = (await memory()) - before;
console.log(JSON.stringify({ grown, counted: cache.bytes - countedBefore }));
