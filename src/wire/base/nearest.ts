/**
 * The known word that `word` was most likely meant to be, without regard to case: few edits away, with the same
 * beginning. The first of equals.
 */
export function nearest(word: string, known: readonly string[]): string {
  // Longer words are no typing errors, and must not cost more.
  const wanted = word.slice(0, 64).toLowerCase();
  const distances = known.map((candidate) => {
    const other = candidate.toLowerCase();
    return editDistance(wanted, other) - sharedPrefix(wanted, other);
  });
  return known[distances.indexOf(Math.min(...distances))]!;
}

function sharedPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/**
 * Counts the insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string
 * alignment).
 */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(replaced, last[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1);
      }
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
