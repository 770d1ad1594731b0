/**
 * Bytes of part files that reads asked for lately, up to a limit; the least recently used go first. Parts never
 * change and their numbers are never used twice, so nothing in here can be out of date. Nobody writes to the bytes.
 */
export interface BlockCache {
  /** The bytes of a range, from the cache or from `load`, whose result is kept. */
  read(part: number, position: number, length: number, load: () => Promise<Buffer>): Promise<Buffer>;
  /** The bytes of a range if they are in the cache. */
  held(part: number, position: number, length: number): Buffer | undefined;
  readonly bytes: number;
}

/** A scan of large ranges would push out everything that small reads live from. */
const largestBlock = 256 * 1024;

export function blockCache(limitBytes: number): BlockCache {
  const blocks = new Map<string, Buffer>();
  let held = 0;

  function keep(key: string, block: Buffer): void {
    if (blocks.has(key)) return;
    blocks.set(key, block);
    held += block.length;
    for (const [oldest, { length }] of blocks) {
      if (held <= limitBytes) return;
      blocks.delete(oldest);
      held -= length;
    }
  }

  function touch(key: string): Buffer | undefined {
    const found = blocks.get(key);
    if (found === undefined) return undefined;
    blocks.delete(key);
    blocks.set(key, found);
    return found;
  }

  return {
    async read(part, position, length, load) {
      if (length > largestBlock) return load();
      const key = keyOf(part, position, length);
      const found = touch(key);
      if (found !== undefined) return found;
      const block = await load();
      keep(key, block);
      return block;
    },
    held: (part, position, length) => touch(keyOf(part, position, length)),
    get bytes() {
      return held;
    },
  };
}

function keyOf(part: number, position: number, length: number): string {
  return `${part} ${position} ${length}`;
}
