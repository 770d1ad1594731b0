/**
 * A slab is the image in memory of one log segment, byte for byte: records are encoded into it once, written to
 * the segment from it, and read from it until its rows have become parts. Its memory is shared, so that the
 * background worker can read it without a copy.
 */
export interface Slab extends SlabWords {
  /** The segment's number; never used twice. */
  readonly sequence: number;
  readonly bytes: Buffer;
  /** The slab's memory and nothing else, for who only reads it. */
  readonly words: SlabWords;
  /** Bytes reserved so far. */
  used: number;
  /** 0 while no record was reserved. */
  firstLsn: number;
  lastLsn: number;
}

/** The memory of a slab: all that reading it takes. It can be sent to a thread. */
export interface SlabWords {
  readonly u32: Uint32Array;
  readonly f64: Float64Array;
  readonly i64: BigInt64Array;
}

/** Group commits begin at multiples of this, so that a torn write never touches records that were acknowledged. */
export const commitAlignment = 4096;

export function makeSlab(sequence: number, memory: SharedArrayBuffer): Slab {
  const words = slabWords(memory);
  return {
    sequence,
    bytes: Buffer.from(memory),
    ...words,
    words,
    used: 0,
    firstLsn: 0,
    lastLsn: 0,
  };
}

export function slabWords(memory: SharedArrayBuffer): SlabWords {
  return {
    u32: new Uint32Array(memory),
    f64: new Float64Array(memory),
    i64: new BigInt64Array(memory),
  };
}

export function align(position: number, alignment: number): number {
  return Math.ceil(position / alignment) * alignment;
}

/** Forgets the records of a slab from one on, which begins at `start`. */
export function takeBack(slab: Slab, start: number, lsn: number): void {
  slab.used = Math.min(slab.used, start);
  if (slab.firstLsn >= lsn) {
    slab.firstLsn = 0;
    slab.lastLsn = 0;
  } else {
    slab.lastLsn = Math.min(slab.lastLsn, lsn - 1);
  }
}

/** Memory of slabs of the full size, kept for the next slab: fresh pages cost more than the copy into them. */
export interface SlabMemory {
  /** The full size, a multiple of `commitAlignment`. */
  readonly slabBytes: number;
  take(bytes: number): SharedArrayBuffer;
  give(memory: SharedArrayBuffer): void;
}

/** Two kept slabs serve a steady load; more would only hold memory after a burst. */
const keptSlabs = 2;

export function slabMemory(slabBytes: number): SlabMemory {
  const kept: SharedArrayBuffer[] = [];
  return {
    slabBytes,
    take(bytes) {
      if (bytes !== slabBytes) return new SharedArrayBuffer(align(bytes, commitAlignment));
      return kept.pop() ?? new SharedArrayBuffer(slabBytes);
    },
    give(memory) {
      if (memory.byteLength === slabBytes && kept.length < keptSlabs) kept.push(memory);
    },
  };
}
