import type { GroupLayout } from '../codecs/row-group-codec.ts';

/**
 * What is kept in memory of part files: bytes that reads asked for lately, up to a limit, and directories of row groups
 * that were decoded from them. Bytes that were not used since they were last looked at go first (the clock algorithm: a
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
}

/** Of decoded directories, each of some 150 bytes of memory. */
const maxColumns = 1 << 18;
/** A scan of large ranges would push out everything that small reads live from. */
const largestBlock = 256 * 1024;

interface Entry {
  readonly block: Buffer;
  readonly key: number;
  readonly ofPart: Map<number, Entry>;
  /** Asked for since the entry was last passed over. */
  used: boolean;
}

export function partCache(limitBytes: number): PartCache {
  const layouts = layoutCache(maxColumns);
  const entries = new Set<Entry>();
  let held = 0;

  function keep(ofPart: Map<number, Entry>, key: number, block: Buffer): void {
    if (ofPart.has(key)) return;
    const entry = { block, key, ofPart, used: false };
    ofPart.set(key, entry);
    entries.add(entry);
    held += block.length;
    if (held > limitBytes) makeRoom();
  }

  function makeRoom(): void {
    for (const entry of entries) {
      if (held <= limitBytes) return;
      entries.delete(entry);
      if (entry.used) {
        entry.used = false;
        entries.add(entry);
      } else {
        entry.ofPart.delete(entry.key);
        held -= entry.block.length;
      }
    }
  }

  return {
    ofPart() {
      const ofPart = new Map<number, Entry>();
      const find = (position: number, length: number): Buffer | undefined => {
        const entry = ofPart.get(keyOf(position, length));
        if (entry === undefined) return undefined;
        entry.used = true;
        return entry.block;
      };
      return {
        held: find,
        layouts,
        async read(position, length, load) {
          if (length > largestBlock) return load();
          const found = find(position, length);
          if (found !== undefined) return found;
          const block = await load();
          keep(ofPart, keyOf(position, length), block);
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
