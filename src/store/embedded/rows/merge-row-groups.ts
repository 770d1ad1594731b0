import assert from 'node:assert/strict';
import { compareTagSets, type TagSet } from '../../../domain/tags.ts';
import { mergeColumns } from './merge-columns.ts';
import type { RowGroup } from './row-group.ts';
import { type RowIdentities, rowIdentities, unifyTags } from './row-identities.ts';
import { findSharedTimes } from './shared-times.ts';

/**
 * Merges rows of one stream and window into one sorted group. Groups come in order of rank, the oldest first;
 * they may be unsorted, overlap, and repeat identities (offset, tag set) among and within themselves. Rows of
 * one identity become one, each parameter with the value of the last row that has it: of the highest group,
 * there of the last row. There is at least one group; one that is sorted already comes back as it is.
 */
export function mergeRowGroups(groups: readonly RowGroup[]): RowGroup {
  const { stream } = groups[0]!;
  assert(
    groups.every((group) => group.stream === stream),
    'only rows of one stream can be merged',
  );
  const inOrder = rowsInOrder(groups);
  if (inOrder !== undefined && inOrder.length <= 1) return inOrder[0] ?? groups[0]!;
  return inOrder === undefined ? mergeOverlapping(groups) : joinDisjoint(inOrder);
}

/** The groups that have rows, in order of time, where each is sorted and none reaches into another. */
export function rowsInOrder(groups: readonly RowGroup[]): RowGroup[] | undefined {
  const filled = groups.filter((group) => group.count > 0);
  if (!filled.every(isSorted)) return undefined;
  filled.sort((a, b) => a.offsets[0]! - b.offsets[0]!);
  for (let i = 1; i < filled.length; i++) {
    const before = filled[i - 1]!;
    const step = compareIdentities(before, before.count - 1, filled[i]!, 0);
    if (step >= 0) return undefined;
  }
  return filled;
}

function isSorted(group: RowGroup): boolean {
  const { offsets, count, tagIndex } = group;
  for (let row = 1; row < count; row++) {
    const step = offsets[row]! - offsets[row - 1]!;
    if (step > 0) continue;
    if (step < 0 || tagIndex === undefined || compareIdentities(group, row - 1, group, row) >= 0)
      return false;
  }
  return true;
}

function compareIdentities(a: RowGroup, rowA: number, b: RowGroup, rowB: number): number {
  return a.offsets[rowA]! - b.offsets[rowB]! || compareTagSets(tagSetOf(a, rowA), tagSetOf(b, rowB));
}

function tagSetOf({ tagSets, tagIndex }: RowGroup, row: number): TagSet {
  return tagSets[tagIndex === undefined ? 0 : tagIndex[row]!]!;
}

function joinDisjoint(groups: readonly RowGroup[]): RowGroup {
  let count = 0;
  const placements = groups.map((group) => {
    const placement = { group, at: count, rows: undefined };
    count += group.count;
    return placement;
  });
  const tags = unifyTags(groups, count);
  const offsets = new Float64Array(count);
  for (const { group, at } of placements) offsets.set(group.offsets, at);
  return {
    stream: groups[0]!.stream,
    count,
    offsets,
    tagSets: tags.sets,
    tagIndex: tags.index,
    columns: mergeColumns(placements, count),
  };
}

/** The rows of groups, at least one, as one group; other than `mergeRowGroups` it does not look for groups in order. */
export function mergeOverlapping(groups: readonly RowGroup[]): RowGroup {
  const shared = findSharedTimes(groups);
  if (shared === undefined) return mergeIdentities(groups, rowIdentities(groups));
  const { count, offsets, starts } = shared;
  const placements = groups.map((group, i) => ({ group, at: starts[i]!, rows: undefined }));
  const { stream, tagSets } = groups[0]!;
  const columns = mergeColumns(placements, count);
  return { stream, count, offsets, tagSets: tagSets.slice(0, 1), tagIndex: undefined, columns };
}

function mergeIdentities(groups: readonly RowGroup[], identities: RowIdentities): RowGroup {
  const { count, offsets, tagSets, tagIndex, identityOf } = identities;
  let at = 0;
  const placements = groups.map((group) => {
    const rows = identityOf.subarray(at, at + group.count);
    at += group.count;
    return { group, at: 0, rows };
  });
  const columns = mergeColumns(placements, count);
  return { stream: groups[0]!.stream, count, offsets, tagSets, tagIndex, columns };
}
