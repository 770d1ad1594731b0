/** The most groups that are told apart; the rows of all others are one more. */
const mostGroups = 1 << 16;

/** Gives the group of a row, by its cells: groups are numbered from 0, in the order in which they come. */
export type FindGroup = (cells: readonly unknown[]) => number;

/**
 * Rows that can meet are of one group: those with the same cells in the columns `apart`, such as stream and tags. Mostly
 * a row has those of the row before.
 */
export function rowGroups(apart: readonly number[]): FindGroup {
  const groups = new Map<unknown, number>();
  const numberOf = (key: unknown): number => {
    const known = groups.get(key);
    if (known !== undefined || groups.size >= mostGroups) return known ?? mostGroups;
    groups.set(key, groups.size);
    return groups.size - 1;
  };
  if (apart.length === 0) return () => 0;
  let before: unknown[] = [];
  let group = 0;
  return (cells) => {
    for (let i = 0; i < apart.length; i++) {
      if (before.length > 0 && cells[apart[i]!] === before[i]) continue;
      before = apart.map((at) => cells[at]);
      group = numberOf(apart.length === 1 ? before[0] : JSON.stringify(before));
      break;
    }
    return group;
  };
}

/** Returns a text that tells apart the rows which groups do not: empty for others. */
export function identityBeyond(group: number, cells: readonly unknown[], apart: readonly number[]): string {
  return group < mostGroups ? '' : JSON.stringify(apart.map((at) => cells[at]));
}
