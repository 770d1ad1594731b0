/**
 * A sample of a set of rows, small enough to compare thousands of sets: the least hashes of their identities. Two
 * sketches tell how much of two sets is common, and sketches of equal sets are equal.
 */
export interface ClockSketch {
  /** Takes a row by the hash of its identity; one that comes twice counts once. */
  add(hash: number): void;
  /** Takes the first `count` of some rows. */
  addAll(hashes: Int32Array, count: number): void;
  /** The least hashes, ascending. */
  hashes(): Int32Array;
  /** At most so many rows have come. */
  rows(): number;
}

const sketchSize = 64;
/** The hashes that are held before the least are looked for: to put each in its place at once takes longer. */
const mostHeld = 4 * sketchSize;
const greatest = 2 ** 31 - 1;

export function clockSketch(): ClockSketch {
  const held = new Int32Array(mostHeld);
  let count = 0;
  /** How many of those held are ascending, and the least that came. */
  let sorted = 0;
  let rows = 0;
  /** Hashes beyond are not among the least. */
  let limit = greatest;

  function sort(): void {
    held.subarray(0, count).sort();
    let kept = 0;
    for (let i = 0; i < count && kept < sketchSize; i++) {
      const hash = held[i]!;
      if (kept === 0 || held[kept - 1] !== hash) held[kept++] = hash;
    }
    count = sorted = kept;
    if (count === sketchSize) limit = held[count - 1]!;
  }

  function keep(hash: number): void {
    if (count === mostHeld) sort();
    held[count++] = hash;
  }

  return {
    add(hash) {
      rows++;
      if (hash <= limit) keep(hash);
    },
    addAll(hashes, added) {
      rows += added;
      for (let i = 0; i < added; i++) if (hashes[i]! <= limit) keep(hashes[i]!);
    },
    hashes() {
      if (sorted < count) sort();
      return held.subarray(0, count);
    },
    rows: () => rows,
  };
}

/** A sketch of the rows of both. */
export function unitedHashes(a: Int32Array, b: Int32Array): Int32Array {
  const united = new Int32Array(sketchSize);
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
  a: Int32Array,
  b: Int32Array,
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
  return hash | 1;
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
  return (hash ^ (hash >>> 16)) & ~1;
}

/** The hashes of the first `count` of some rows with the same tags, `shift` added to each offset. */
export function hashRows(
  offsets: Float64Array,
  count: number,
  shift: number,
  tags: number,
  hashes: Int32Array,
): void {
  for (let row = 0; row < count; row++) hashes[row] = identityHash(offsets[row]! + shift, tags);
}

/** A number for a tag set, of its key; 0 for none. */
export function textHash(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}
