import { type IndexBudget, indexBudget } from './cached-index.ts';
import { type CachedItem, type MemoryBudget, memoryBudget } from './memory-budget.ts';

/**
 * What is kept in memory of part files: indexes; and bytes that reads asked for lately, with what was decoded of them.
 * Each of the two has a limit of its own (memory-budget.ts): one scan must not push out the indexes, without which no
 * read finds anything. All that an entry takes counts. Parts never change, so nothing in here can be out of date. Nobody
 * writes to the bytes.
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
  /** Keeps bytes that were read otherwise: gives those that are kept, a copy. */
  put(position: number, bytes: Buffer): Buffer;
  /** What is known of bytes while they are kept; undefined of others. */
  markOf(position: number, bytes: Buffer): ByteMark | undefined;
  /** Room for things that are decoded from the part and take long to decode: it counts like bytes of the file. */
  keep<Item>(): CachedItems<Item>;
  /** Nobody reads from the part any more. */
  close(): void;
}

/** What is known of bytes of a file. */
export interface ByteMark {
  /** Whether they have met their checksum. */
  isChecked: boolean;
}

/** Things of one kind, by a number that whoever keeps them chooses. */
export interface CachedItems<Item> {
  get(key: number): Item | undefined;
  /** Whether an item of so many bytes is kept at all. */
  hasRoom(bytes: number): boolean;
  /** Keeps an item of so many bytes for a while, in the place of an earlier one. */
  put(key: number, item: Item, bytes: number): void;
}

/** The largest block that is kept: a scan of large ranges would push out everything that small reads live from. */
const largestBlock = 256 * 1024;

/** The largest share of the cache that an item may take to be kept. */
const largestShare = 1 / 4;

/** What a block takes besides its bytes: the buffer, its memory's bookkeeping, the entry and its places in two tables. */
const entryBytes = 360;

interface Entry extends CachedItem {
  readonly key: number;
  readonly among: { delete(key: number): boolean };
}

interface Block extends Entry, ByteMark {
  readonly block: Buffer;
}

/** @param indexBytes how much indexes of parts may take */
export function partCache(limitBytes: number, indexBytes = limitBytes): PartCache {
  const budget = memoryBudget<Entry>(limitBytes, ({ among, key }) => among.delete(key));
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
  const blocks = new Map<number, Block>();
  const kept: Map<number, Entry>[] = [blocks];
  let isClosed = false;

  function find(position: number, length: number): Buffer | undefined {
    const entry = blocks.get(keyOf(position, length));
    if (entry === undefined) return undefined;
    entry.used = true;
    return entry.block;
  }

  function put<One extends Entry>(entry: One, among: Map<number, One>): void {
    if (among.has(entry.key) || isClosed) return;
    among.set(entry.key, entry);
    budget.add(entry);
  }

  function keepBlock(position: number, length: number, block: Buffer): void {
    const bytes = block.buffer.byteLength + entryBytes;
    const key = keyOf(position, length);
    put({ block, key, among: blocks, isChecked: false, bytes, used: false, pins: 0 }, blocks);
  }

  return {
    held: find,
    async read(position, length, load) {
      if (length > largestBlock) return load();
      const found = find(position, length);
      if (found !== undefined) return found;
      const block = alone(await load());
      keepBlock(position, length, block);
      return block;
    },
    put(position, bytes) {
      const found = find(position, bytes.length);
      if (found !== undefined) return found;
      const block = alone(bytes);
      keepBlock(position, bytes.length, block);
      return block;
    },
    keep<Item>() {
      const items = new Map<number, Entry & { readonly item: Item }>();
      kept.push(items);
      return {
        get(key: number) {
          const entry = items.get(key);
          if (entry === undefined) return undefined;
          entry.used = true;
          return entry.item;
        },
        hasRoom: (bytes: number) => bytes + entryBytes <= budget.limit * largestShare,
        put(key: number, item: Item, itemBytes: number) {
          const bytes = itemBytes + entryBytes;
          if (bytes > budget.limit * largestShare) return;
          const before = items.get(key);
          if (before !== undefined) budget.remove(before);
          items.delete(key);
          put({ item, key, among: items, bytes, used: false, pins: 0 }, items);
        },
      };
    },
    markOf(position, bytes) {
      const entry = blocks.get(keyOf(position, bytes.length));
      return entry?.block === bytes ? entry : undefined;
    },
    close() {
      isClosed = true;
      for (const entries of kept) {
        for (const entry of entries.values()) budget.remove(entry);
        entries.clear();
      }
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
