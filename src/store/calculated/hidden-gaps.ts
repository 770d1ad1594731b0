import type { Presence } from '../../domain/parameter-data.ts';
import type { StoredRows } from '../../query/states/stored-rows.ts';

/** The rows for each one that may be without a value: more ranges cost more than rows that are picked. */
const rowsOfGap = 32;

/**
 * The times of rows in which no column has a value, as ranges of offsets that a read leaves out; undefined where there are
 * many of them, or where rows with a value have the same time.
 *
 * @param presences of the columns, none of which all rows have
 */
export function hiddenGaps(
  presences: readonly NonNullable<Presence>[],
  offsets: Float64Array,
  count: number,
): StoredRows['hidden'] | undefined {
  const gaps: { readonly first: number; readonly last: number }[] = [];
  const most = count / rowsOfGap;
  const bytes = (count + 7) >> 3;
  for (let i = 0; i < bytes; i++) {
    let bits = 0;
    for (const present of presences) bits |= present[i]!;
    if (bits === 0xff) continue;
    for (let row = i << 3; row < Math.min(count, (i + 1) << 3); row++) {
      if (((bits >> (row & 7)) & 1) === 1) continue;
      const offset = offsets[row]!;
      if (offsets[row - 1] === offset || offsets[row + 1] === offset) return undefined;
      if (gaps.push({ first: offset, last: offset }) > most) return undefined;
    }
  }
  return gaps;
}

/** Whether columns have values in the same rows, all of them. */
export function haveSamePresence(presences: readonly NonNullable<Presence>[], count: number): boolean {
  const [first, ...others] = presences;
  const bytes = count >> 3;
  const lastBits = (1 << (count & 7)) - 1;
  for (const other of others) {
    for (let i = 0; i < bytes; i++) if (other[i] !== first![i]) return false;
    if (lastBits !== 0 && ((other[bytes]! ^ first![bytes]!) & lastBits) !== 0) return false;
  }
  return true;
}
