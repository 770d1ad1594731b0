import type { GroupLayout } from '../codecs/row-group-codec.ts';

/**
 * What is kept in memory of part files: bytes that reads asked for lately and what was decoded of them, up to a limit, and
 * directories of row groups. Bytes that were not used since they were last looked at go first (the clock algorithm: a
 * use costs a flag). Parts never change, so nothing in here can be out of date. Nobody writes to the bytes.
 */
export interface PartCache {
  /** For the ranges of one part. */
  ofPart(): FileCache;
  readonly bytes: number;
}

export interface FileCache {
  /** The bytes of a range, from the cache or from `load`, whose result is kept. */
  read(position: number, length: number, load: () => Promise<Buffer>): Promise<Buffer>;
  /** The bytes of a range if they are in the cache. */
  held(position: number, length: number): Buffer | undefined;
  readonly layouts: LayoutCache;
  /** Room for things that are decoded from the part and take long to decode: it counts like bytes of the file. */
  keep<Item>(): KeptItems<Item>;
}

/** Things of one kind, by a number that whoever keeps them chooses. */
export interface KeptItems<Item> {
  get(key: number): Item | undefined;
  /** Keeps an item of so many bytes for a while. */
  put(key: number, item: Item, bytes: number): void;
}

/** Of decoded directories, each of some 150 bytes of memory. */
const maxColumns = 1 << 18;
/** A scan of large ranges would push out everything that small reads live from. */
const largestBlock = 256 * 1024;

/** An item that takes more than this share of the cache is not kept. */
const largestShare = 1 / 4;

interface Entry {
  readonly bytes: number;
  readonly key: number;
  readonly among: { delete(key: number): boolean };
  /** Asked for since the entry was last passed over. */
  used: boolean;
}

export function partCache(limitBytes: number): PartCache {
  const layouts = layoutCache(maxColumns);
  const entries = new Set<Entry>();
  let held = 0;

  function keptItems<Item>(): KeptItems<Item> {
    const among = new Map<number, Entry & { readonly item: Item }>();
    return {
      get(key) {
        const entry = among.get(key);
        if (entry === undefined) return undefined;
        entry.used = true;
        return entry.item;
      },
      put(key, item, bytes) {
        if (among.has(key)) return;
        const entry = { item, bytes, key, among, used: false };
        among.set(key, entry);
        entries.add(entry);
        held += bytes;
        if (held > limitBytes) makeRoom();
      },
    };
  }

  function makeRoom(): void {
    for (const entry of entries) {
      if (held <= limitBytes) return;
      entries.delete(entry);
      if (entry.used) {
        entry.used = false;
        entries.add(entry);
      } else {
        entry.among.delete(entry.key);
        held -= entry.bytes;
      }
    }
  }

  return {
    ofPart() {
      const blocks = keptItems<Buffer>();
      const find = (position: number, length: number) => blocks.get(keyOf(position, length));
      return {
        held: find,
        layouts,
        keep<Item>() {
          const items = keptItems<Item>();
          return {
            get: items.get,
            put(key: number, item: Item, bytes: number) {
              if (bytes <= limitBytes * largestShare) items.put(key, item, bytes);
            },
          };
        },
        async read(position, length, load) {
          if (length > largestBlock) return load();
          const found = find(position, length);
          if (found !== undefined) return found;
          const block = await load();
          blocks.put(keyOf(position, length), block, block.length);
          return block;
        },
      };
    },
    get bytes() {
      return held;
    },
  };
}

/** Unique for blocks within the limit on their length, and a whole double for files below 16 GB. */
function keyOf(position: number, length: number): number {
  return position * 2 * largestBlock + length;
}

/** Directories of row groups that were decoded lately, unless columns are left out, found by the bytes that they were decoded from. */
export interface LayoutCache {
  /** The layout of a group's head, decoded if need be. */
  of(head: Buffer, decode: () => GroupLayout): GroupLayout;
}

/**
 * Keeps up to twice `maxColumns` columns, and none longer than the bytes are in memory. Where many
 * columns have few values each, a directory takes many times the memory of its group.
 */
export function layoutCache(maxColumns: number): LayoutCache {
  let young = new WeakMap<Buffer, GroupLayout>();
  /** What was asked for before the last `maxColumns` columns came. */
  let old = young;
  let columns = 0;

  return {
    of(head, decode) {
      const known = young.get(head);
      if (known !== undefined) return known;
      const layout = old.get(head) ?? decode();
      if (layout.isPartial) return layout;
      columns += layout.columns.length;
      if (columns > maxColumns) {
        old = young;
        young = new WeakMap();
        columns = layout.columns.length;
      }
      young.set(head, layout);
      return layout;
    },
  };
}
