/**
 * Memory for what a read needs only until its rows are made. It is kept for the next read: fresh memory has to be made by
 * the system and found again by the garbage collector, which then looks at all else too.
 */
export interface ScratchMemory {
  /** Bytes that begin where any typed array may begin, with anything in them. */
  take(length: number): Uint8Array<ArrayBuffer>;
  /** Gives all of it back; nothing of it may be looked at any more. Where that is left out, nothing is kept. */
  release(): void;
}

export interface ScratchPool {
  open(): ScratchMemory;
}

const pieceBytes = 1 << 20;
/**
 * The most pieces of memory that are kept: enough for a slice of usual size; larger slices are rare, and have more
 * to do than to get memory.
 */
const maxKept = 8;

export function scratchPool(): ScratchPool {
  const free: ArrayBuffer[] = [];
  return {
    open() {
      let taken: ArrayBuffer[] = [];
      let used = pieceBytes;
      return {
        take(length) {
          if (length > pieceBytes) return unkept(length);
          if (used + length > pieceBytes) {
            taken.push(free.pop() ?? unkept(pieceBytes).buffer);
            used = 0;
          }
          const bytes = new Uint8Array(taken.at(-1)!, used, length);
          used += (length + 7) & ~7;
          return bytes;
        },
        release() {
          free.push(...taken.slice(0, Math.max(0, maxKept - free.length)));
          taken = [];
          used = pieceBytes;
        },
      };
    },
  };
}

/** Memory that is nobody else's later. */
export const freshMemory: Pick<ScratchMemory, 'take'> = { take: unkept };

function unkept(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
}
