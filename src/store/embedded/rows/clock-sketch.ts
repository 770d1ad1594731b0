/**
 * A sample of a set of rows, small enough to compare thousands of sets: the least hashes of their identities. Two
 * sketches tell how much of two sets is common, and sketches of equal sets are equal.
 */
export interface ClockSketch {
  /** Takes a row by the hash of its identity; one that comes twice counts once. */
  add(hash: number): void;
  /** Takes the first `count` of some rows. */
  addAll(hashes: Uint32Array, count: number): void;
  /** The least hashes, ascending. */
  hashes(): Uint32Array;
  /** At most so many rows have come. */
  rows(): number;
}

const sketchSize = 64;

export function clockSketch(): ClockSketch {
  const held = new Uint32Array(sketchSize);
  let count = 0;
  let rows = 0;
  /** Hashes from here on are not among the least. */
  let limit = Number.POSITIVE_INFINITY;

  function keep(hash: number): void {
    let at = count;
    while (at > 0 && held[at - 1]! > hash) at--;
    if (at > 0 && held[at - 1] === hash) return;
    if (count < sketchSize) count++;
    held.copyWithin(at + 1, at, count - 1);
    held[at] = hash;
    if (count === sketchSize) limit = held[count - 1]!;
  }

  return {
    add(hash) {
      rows++;
      if (hash < limit) keep(hash);
    },
    addAll(hashes, added) {
      rows += added;
      for (let i = 0; i < added; i++) if (hashes[i]! < limit) keep(hashes[i]!);
    },
    hashes: () => held.subarray(0, count),
    rows: () => rows,
  };
}

/** A sketch of the rows of both. */
export function unitedHashes(a: Uint32Array, b: Uint32Array): Uint32Array {
  const united = new Uint32Array(sketchSize);
  let count = 0;
  for (let i = 0, j = 0; count < sketchSize && (i < a.length || j < b.length); count++) {
    const left = i < a.length ? a[i]! : Number.POSITIVE_INFINITY;
    const right = j < b.length ? b[j]! : Number.POSITIVE_INFINITY;
    united[count] = Math.min(left, right);
    if (left <= right) i++;
    if (right <= left) j++;
  }
  return united.subarray(0, count);
}

/** How many hashes of two sketches both have, and each alone; hashes that are free count only where both have them. */
export function compareHashes(
  a: Uint32Array,
  b: Uint32Array,
): { readonly both: number; readonly onlyA: number; readonly onlyB: number } {
  let [both, onlyA, onlyB] = [0, 0, 0];
  for (let i = 0, j = 0, seen = 0; seen < sketchSize && (i < a.length || j < b.length); seen++) {
    const left = i < a.length ? a[i]! : Number.POSITIVE_INFINITY;
    const right = j < b.length ? b[j]! : Number.POSITIVE_INFINITY;
    if (left === right) both++;
    else if (isFree(Math.min(left, right))) seen--;
    else if (left < right) onlyA++;
    else onlyB++;
    if (left <= right) i++;
    if (right <= left) j++;
  }
  return { both, onlyA, onlyB };
}

/** The same hash of a row beside which no other row is: to be without it costs a column nothing. */
export function freeHash(hash: number): number {
  return (hash | 1) >>> 0;
}

function isFree(hash: number): boolean {
  return (hash & 1) === 1;
}

/** The hash of a row: of its offset and of a number that stands for its tags. */
export function identityHash(offset: number, tags: number): number {
  let hash = Math.imul(
    (offset >>> 0) ^ Math.imul(Math.floor(offset / 2 ** 32) + tags, 0x9e3779b1),
    0x85ebca6b,
  );
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) & ~1) >>> 0;
}

/** A number for a tag set, of its key; 0 for none. */
export function textHash(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}
