/**
 * The bytes of a body while it arrives. Small chunks are copied together: one that stays as it is costs a hundred bytes
 * beside its own, and may keep the memory of many others.
 */
export interface BodyBytes {
  size(): number;
  add(chunk: Buffer): void;
  /** All of them, in one buffer. */
  whole(): Buffer;
}

/** The size from which on a chunk of a body is kept as it came, and not copied to a block. */
const largeBytes = 8 * 1024;
const blockBytes = 32 * 1024;

export function createBodyBytes(): BodyBytes {
  const chunks: Buffer[] = [];
  let size = 0;
  /** Small chunks are copied to `block[used, …)`; those before stand in `chunks` from `begun` on. */
  let block: Buffer = empty;
  let begun = 0;
  let used = 0;

  const endRun = (): void => {
    if (used > begun) chunks.push(block.subarray(begun, used));
    begun = used;
  };

  return {
    size: () => size,

    add(chunk) {
      const isOnly = size === 0;
      size += chunk.length;
      // Most bodies are one chunk.
      if (isOnly || chunk.length >= largeBytes) {
        endRun();
        chunks.push(chunk);
        return;
      }
      if (used + chunk.length > block.length) {
        endRun();
        block = Buffer.allocUnsafeSlow(blockBytes);
        begun = 0;
        used = 0;
      }
      chunk.copy(block, used);
      used += chunk.length;
    },

    whole() {
      endRun();
      return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
    },
  };
}

const empty = Buffer.alloc(0);
