import type { GroupLayout } from '../codecs/row-group-codec.ts';
import { type IndexBudget, indexBudget } from './kept-index.ts';
import { type KeptItem, type MemoryBudget, memoryBudget } from './memory-budget.ts';

/**
 * What is kept in memory of part files: indexes; and bytes that reads asked for lately, with the directories of row groups
 * that were decoded from them. Each of the two has a limit of its own (memory-budget.ts): one scan must not push out the
 * indexes, without which no read finds anything. All that an entry takes counts. Parts never change, so nothing in here
 * can be out of date. Nobody writes to the bytes.
 */
export interface PartCache {
  /** For the ranges of one part. */
  ofPart(): FileCache;
  readonly indexes: IndexBudget;
  /** Memory of all blocks that are kept. */
  readonly bytes: number;
  readonly limit: number;
}

export interface FileCache {
  /** The bytes of a range, from the cache or from `load`, whose result is kept. */
  read(position: number, length: number, load: () => Promise<Buffer>): Promise<Buffer>;
  /** The bytes of a range if they are in the cache. */
  held(position: number, length: number): Buffer | undefined;
  /** The directory of a group from its head at `position`: decoded once while the head is kept. */
  layout(position: number, head: Buffer, decode: () => GroupLayout): GroupLayout;
  /** Nobody reads from the part any more. */
  close(): void;
}

/** A scan of large ranges would push out everything that small reads live from. */
const largestBlock = 256 * 1024;

/** What a block takes besides its bytes: the buffer, its memory's bookkeeping, the entry and its places in two tables. */
const entryBytes = 360;
/** A directory, and each column that it lists, as objects. */
const layoutBytes = 220;
const columnBytes = 140;

interface Entry extends KeptItem {
  readonly block: Buffer;
  readonly key: number;
  readonly ofPart: Map<number, Entry>;
  /** Unless columns are left out, which others may want. */
  layout: GroupLayout | undefined;
}

/** @param indexBytes how much indexes of parts may take */
export function partCache(limitBytes: number, indexBytes = limitBytes): PartCache {
  const budget = memoryBudget<Entry>(limitBytes, ({ ofPart, key }) => ofPart.delete(key));
  return {
    ofPart: () => fileCache(budget),
    indexes: indexBudget(indexBytes),
    get bytes() {
      return budget.bytes;
    },
    limit: limitBytes,
  };
}

function fileCache(budget: MemoryBudget<Entry>): FileCache {
  const ofPart = new Map<number, Entry>();
  let isClosed = false;

  function find(position: number, length: number): Buffer | undefined {
    const entry = ofPart.get(keyOf(position, length));
    if (entry === undefined) return undefined;
    entry.used = true;
    return entry.block;
  }

  function keep(key: number, block: Buffer): void {
    if (ofPart.has(key) || isClosed) return;
    const bytes = block.buffer.byteLength + entryBytes;
    const entry: Entry = { block, key, ofPart, layout: undefined, bytes, used: false, pins: 0 };
    ofPart.set(key, entry);
    budget.add(entry);
  }

  return {
    held: find,
    async read(position, length, load) {
      if (length > largestBlock) return load();
      const found = find(position, length);
      if (found !== undefined) return found;
      const block = alone(await load());
      keep(keyOf(position, length), block);
      return block;
    },
    layout(position, head, decode) {
      const entry = ofPart.get(keyOf(position, head.length));
      if (entry?.block !== head) return decode();
      if (entry.layout !== undefined) return entry.layout;
      const layout = decode();
      if (layout.isPartial) return layout;
      entry.layout = layout;
      budget.grow(entry, layoutBytes + columnBytes * layout.columns.length);
      return layout;
    },
    close() {
      isClosed = true;
      for (const entry of ofPart.values()) budget.remove(entry);
      ofPart.clear();
    },
  };
}

/** A view would keep all of its memory; what is kept has its memory for itself. */
function alone(block: Buffer): Buffer {
  if (block.length === block.buffer.byteLength) return block;
  const own = Buffer.allocUnsafeSlow(block.length);
  block.copy(own);
  return own;
}

/** Unique for blocks within the limit on their length, and a whole double for files below 16 GB. */
function keyOf(position: number, length: number): number {
  return position * 2 * largestBlock + length;
}
