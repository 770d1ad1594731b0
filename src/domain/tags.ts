/**
 * A tag set is the tags of one row: pairs of name and value, ordered by name (code units), each name once.
 * A null tag value means the row does not have that tag, so it never stands in a set.
 */
export type TagPair = readonly [name: string, value: string];

export interface TagSet {
  /** Canonical text of the pairs (their JSON); equal keys mean equal sets. */
  readonly key: string;
  readonly pairs: readonly TagPair[];
}

export const noTags: TagSet = { key: '[]', pairs: [] };

/** Builds the canonical set from pairs in any order. Names must be distinct. */
export function tagSet(pairs: readonly TagPair[]): TagSet {
  return orderedTagSet([...pairs].sort((a, b) => compareText(a[0], b[0])));
}

/** The same from pairs in the order of a set. */
export function orderedTagSet(pairs: readonly TagPair[]): TagSet {
  return pairs.length === 0 ? noTags : { key: JSON.stringify(pairs), pairs };
}

/** The set whose canonical text is `key`. */
export function tagSetOfKey(key: string): TagSet {
  return key === noTags.key ? noTags : { key, pairs: JSON.parse(key) as TagPair[] };
}

/** The value of a tag in a set, or undefined where the set does not have it. */
export function tagValue(set: TagSet, name: string): string | undefined {
  for (const pair of set.pairs) if (pair[0] === name) return pair[1];
  return undefined;
}

/** Order of tag sets in an answer: pair by pair, name before value; a set comes before its extensions. */
export function compareTagSets(a: TagSet, b: TagSet): number {
  const shared = Math.min(a.pairs.length, b.pairs.length);
  for (let i = 0; i < shared; i++) {
    const [nameA, valueA] = a.pairs[i]!;
    const [nameB, valueB] = b.pairs[i]!;
    const order = compareText(nameA, nameB) || compareText(valueA, valueB);
    if (order !== 0) return order;
  }
  return a.pairs.length - b.pairs.length;
}

/** Order of text everywhere in Pitwall: by UTF-16 code unit, as `<` on strings. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
