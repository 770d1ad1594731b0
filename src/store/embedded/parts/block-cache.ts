/**
 * Bytes of part files that reads asked for lately, up to a limit; what was not used since it was last looked at goes
 * first (the clock algorithm: a use costs a flag). Parts never change, so nothing in here can
 * be out of date. Nobody writes to the bytes.
 */
export interface BlockCache {
  /** For the ranges of one part. */
  ofPart(): PartCache;
  readonly bytes: number;
}

export interface PartCache {
  /** The bytes of a range, from the cache or from `load`, whose result is kept. */
  read(position: number, length: number, load: () => Promise<Buffer>): Promise<Buffer>;
  /** The bytes of a range if they are in the cache. */
  held(position: number, length: number): Buffer | undefined;
}

/** A scan of large ranges would push out everything that small reads live from. */
const largestBlock = 256 * 1024;

interface Entry {
  readonly block: Buffer;
  readonly key: number;
  readonly ofPart: Map<number, Entry>;
  /** Asked for since the entry was last passed over. */
  used: boolean;
}

export function blockCache(limitBytes: number): BlockCache {
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
