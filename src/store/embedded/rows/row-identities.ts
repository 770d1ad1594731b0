import { compareTagSets, type TagSet } from '../../../domain/tags.ts';
import type { RowGroup } from './row-group.ts';
import { sortedOrder } from './row-order.ts';

/**
 * The identities (offset, tag set) of rows of several groups, each once, in order. A row's number counts through
 * the groups, one after another.
 */
export interface RowIdentities {
  readonly count: number;
  /** Per identity. */
  readonly offsets: Float64Array;
  readonly tagSets: readonly TagSet[];
  /** Per identity; undefined means that all have `tagSets[0]`. */
  readonly tagIndex: Uint32Array | undefined;
  /** Per row its identity. */
  readonly identityOf: Uint32Array;
}

export function rowIdentities(groups: readonly RowGroup[]): RowIdentities {
  const total = groups.reduce((sum, group) => sum + group.count, 0);
  const { sets, index } = unifyTags(groups, total);
  const [one, other] = groups;
  if (index === undefined && groups.length === 2 && ascends(one!.offsets) && ascends(other!.offsets))
    return { ...mergeTwo(one!.offsets, other!.offsets), tagSets: sets, tagIndex: undefined };
  const allOffsets = new Float64Array(total);
  let at = 0;
  for (const group of groups) {
    allOffsets.set(group.offsets, at);
    at += group.count;
  }
  const compareTies =
    index &&
    ((a: number, b: number) =>
      index[a] === index[b] ? 0 : compareTagSets(sets[index[a]!]!, sets[index[b]!]!));
  const order = sortedOrder({ offsets: allOffsets, compareTies });

  const identityOf = new Uint32Array(total);
  const offsets = new Float64Array(total);
  const tagIndex = index && new Uint32Array(total);
  let count = 0;
  for (let i = 0; i < total; i++) {
    const row = order === undefined ? i : order[i]!;
    const repeats =
      count > 0 &&
      offsets[count - 1] === allOffsets[row] &&
      (index === undefined || tagIndex![count - 1] === index[row]);
    if (!repeats) {
      offsets[count] = allOffsets[row]!;
      if (index !== undefined) tagIndex![count] = index[row]!;
      count++;
    }
    identityOf[row] = count - 1;
  }
  return {
    count,
    offsets: offsets.subarray(0, count),
    tagSets: sets,
    tagIndex: tagIndex?.subarray(0, count),
    identityOf,
  };
}

function ascends(offsets: Float64Array): boolean {
  for (let row = 1; row < offsets.length; row++) if (offsets[row - 1]! >= offsets[row]!) return false;
  return true;
}

/** Rows of two groups that each ascend, all of the same tags: late rows and those that they fall between are mostly so. */
function mergeTwo(
  one: Float64Array,
  other: Float64Array,
): Pick<RowIdentities, 'count' | 'offsets' | 'identityOf'> {
  const ofOther = one.length;
  const identityOf = new Uint32Array(one.length + other.length);
  const offsets = new Float64Array(one.length + other.length);
  let count = 0;
  for (let i = 0, j = 0; i < one.length || j < other.length; count++) {
    const a = i < one.length ? one[i]! : Number.POSITIVE_INFINITY;
    const b = j < other.length ? other[j]! : Number.POSITIVE_INFINITY;
    offsets[count] = a < b ? a : b;
    if (a <= b) identityOf[i++] = count;
    if (b <= a) identityOf[ofOther + j++] = count;
  }
  return { count, offsets: offsets.subarray(0, count), identityOf };
}

/** One dictionary for the rows of all groups, one after another; no index where they all have the same set. */
export function unifyTags(
  groups: readonly RowGroup[],
  total: number,
): { sets: TagSet[]; index: Uint32Array | undefined } {
  const sets: TagSet[] = [];
  const places = new Map<string, number>();
  const placeOf = (set: TagSet): number => {
    let place = places.get(set.key);
    if (place === undefined) {
      place = sets.push(set) - 1;
      places.set(set.key, place);
    }
    return place;
  };
  const dictionaries = groups.map(({ tagSets, tagIndex }) =>
    tagIndex === undefined ? [placeOf(tagSets[0]!)] : tagSets.map(placeOf),
  );
  if (sets.length === 1) return { sets, index: undefined };
  const index = new Uint32Array(total);
  let at = 0;
  groups.forEach(({ count, tagIndex }, i) => {
    const dictionary = dictionaries[i]!;
    if (tagIndex === undefined) index.fill(dictionary[0]!, at, at + count);
    else for (let row = 0; row < count; row++) index[at + row] = dictionary[tagIndex[row]!]!;
    at += count;
  });
  return { sets, index };
}
