/** The characters of a name that are compared: longer names are no typing errors, and must not cost more. */
const compared = 64;
/** The most edits between names that have something to do with each other. */
const mostEdits = 8;
/** The most names that are compared letter by letter; what comes later is left out. */
const mostCompared = 20_000;

/**
 * Looks among any number of names for the one that was most likely meant, without regard to case; of equals the first by
 * code unit, in whatever order they come. The work for each name is bounded, and so is that of all.
 */
export interface NameSearch {
  /** Edits between the wanted name and this one, where it is nearer than all that were taken; else undefined. */
  distanceTo(name: string): number | undefined;
  /** Only what is nearer than this name counts from now on. */
  take(distance: number, name: string): void;
}

export function searchNear(name: string): NameSearch {
  const wanted = name.slice(0, compared).toLowerCase();
  let most = Math.min(mostEdits, Math.max(2, wanted.length >> 1));
  let taken: string | undefined;
  let left = mostCompared;
  return {
    distanceTo(known) {
      if (left === 0 || Math.abs(Math.min(known.length, compared) - wanted.length) > most) return undefined;
      left--;
      const distance = distanceWithin(wanted, known.slice(0, compared).toLowerCase(), most);
      if (distance === undefined || (distance === most && taken !== undefined && known >= taken))
        return undefined;
      // Names that share no letter are no nearer for being short.
      return distance > 0 && distance >= Math.max(wanted.length, known.length) ? undefined : distance;
    },
    take(distance, name) {
      most = distance;
      taken = name;
    },
  };
}

/**
 * Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`; undefined where there are more than
 * `most`. Looks only at places that so many edits can reach.
 */
export function distanceWithin(a: string, b: string, most: number): number | undefined {
  if (Math.abs(a.length - b.length) > most) return undefined;
  const width = b.length + 1;
  const far = most + 1;
  let beforeLast = new Int32Array(width).fill(far);
  let last = Int32Array.from({ length: width }, (_, j) => Math.min(j, far));
  let row = new Int32Array(width).fill(far);
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - most);
    const to = Math.min(b.length, i + most);
    row[from - 1] = from === 1 ? Math.min(i, far) : far;
    if (to < b.length) row[to + 1] = far;
    let least = row[from - 1]!;
    for (let j = from; j <= to; j++) {
      let edits = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      edits = Math.min(edits, last[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        edits = Math.min(edits, beforeLast[j - 2]! + 1);
      row[j] = edits;
      if (edits < least) least = edits;
    }
    if (least > most) return undefined;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  const distance = last[b.length]!;
  return distance > most ? undefined : distance;
}
