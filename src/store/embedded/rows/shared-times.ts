import type { RowGroup } from './row-group.ts';

/** Where the rows of groups stand when they are merged: those of group i follow one another from `starts[i]` on. */
export interface SharedTimes {
  readonly count: number;
  readonly offsets: Float64Array;
  readonly starts: Uint32Array;
}

/**
 * Finds the order of groups that have the same times, all of them or none: so columns come that are sent one by one. No
 * row is compared with those of other times. Undefined where other groups, or tags, are among them.
 */
export function findSharedTimes(groups: readonly RowGroup[]): SharedTimes | undefined {
  const tags = groups[0]!.tagSets[0]!.key;
  /** By the first time the group that has it first. */
  const distinct = new Map<number, RowGroup>();
  for (const group of groups) {
    const { count, offsets, tagSets, tagIndex } = group;
    if (count === 0 || tagIndex !== undefined || tagSets[0]!.key !== tags) return undefined;
    const other = distinct.get(offsets[0]!);
    if (other === undefined) {
      if (!ascends(group)) return undefined;
      distinct.set(offsets[0]!, group);
    } else if (!areEqual(other, group)) {
      return undefined;
    }
  }
  const ordered = [...distinct.values()].sort((a, b) => a.offsets[0]! - b.offsets[0]!);
  const startOf = new Map<number, number>();
  const offsets = new Float64Array(ordered.reduce((sum, { count }) => sum + count, 0));
  let at = 0;
  for (const group of ordered) {
    if (at > 0 && group.offsets[0]! <= offsets[at - 1]!) return undefined;
    startOf.set(group.offsets[0]!, at);
    offsets.set(group.offsets.subarray(0, group.count), at);
    at += group.count;
  }
  return { count: at, offsets, starts: Uint32Array.from(groups, (group) => startOf.get(group.offsets[0]!)!) };
}

function ascends({ count, offsets }: RowGroup): boolean {
  for (let row = 1; row < count; row++) if (offsets[row - 1]! >= offsets[row]!) return false;
  return true;
}

function areEqual(a: RowGroup, b: RowGroup): boolean {
  if (a.count !== b.count) return false;
  for (let row = 0; row < a.count; row++) if (a.offsets[row] !== b.offsets[row]) return false;
  return true;
}
