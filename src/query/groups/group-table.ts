import type { StreamKey } from '../../domain/stream.ts';
import { compareText, type TagSet, tagValue } from '../../domain/tags.ts';
import { PitwallError } from '../../errors.ts';
import type { QueryMemory } from '../bounds/query-memory.ts';

/** A value per tag of `groupBy`; undefined for rows without the tag, which are a group of their own. */
export type GroupValues = readonly (string | undefined)[];

/** The groups that rows fall into by `groupBy`, numbered from 0 as they come. */
export interface GroupTable {
  readonly count: number;
  valuesOf(group: number): GroupValues;
  /** The rows that follow belong to this stream. */
  openStream(stream: StreamKey): void;
  /** Whether the group of a row depends on its tags; otherwise `groupOf` takes any set. */
  readonly byTags: boolean;
  groupOf(set: TagSet): number;
  /** The group that has these values, a new one where there is none. */
  groupWith(values: GroupValues): number;
}

/** Groups in one query, at most; without buckets, each is a row of the answer. */
const maxGroups = 1_000_000;
/** Roughly what the engine takes for a group's array, its texts' headers and its entry in the map. */
const groupBytes = 200;
/** The tag sets whose group is remembered while one stream is read. */
const rememberedSets = 10_000;

export function groupTable(groupBy: readonly string[], memory: QueryMemory): GroupTable {
  const byTags = groupBy.some((tag) => tag !== 'streamId' && tag !== 'topic');
  const groups: GroupValues[] = [];
  const numbers = new Map<string | undefined, number>();
  let stream: StreamKey = { topic: '', streamId: '' };
  let ofStream = -1;
  let ofSets = new Map<string, number>();

  function valuesFor(set: TagSet | undefined): GroupValues {
    return groupBy.map((tag) => {
      if (tag === 'streamId') return stream.streamId;
      if (tag === 'topic') return stream.topic;
      return set === undefined ? undefined : tagValue(set, tag);
    });
  }

  function numberOf(values: GroupValues): number {
    const key = values.length === 1 ? values[0] : values.map(keyOfOne).join('');
    let number = numbers.get(key);
    if (number === undefined) {
      if (groups.length === maxGroups) throw tooManyGroups(groupBy);
      memory.take(groupBytes + 2 * (key?.length ?? 0));
      number = groups.push(values) - 1;
      table.count = groups.length;
      numbers.set(key, number);
    }
    return number;
  }

  const table = {
    count: 0,
    byTags,
    valuesOf: (group: number) => groups[group]!,
    openStream(next: StreamKey) {
      stream = next;
      ofStream = -1;
      if (ofSets.size > 0) ofSets = new Map();
    },
    groupWith: numberOf,
    groupOf(set: TagSet) {
      if (!byTags) {
        if (ofStream < 0) ofStream = numberOf(valuesFor(undefined));
        return ofStream;
      }
      let number = ofSets.get(set.key);
      if (number === undefined) {
        number = numberOf(valuesFor(set));
        if (ofSets.size < rememberedSets) ofSets.set(set.key, number);
      }
      return number;
    },
  };
  return table;
}

/** Order of groups in an answer: value by value, a missing one first. */
export function compareGroups(a: GroupValues, b: GroupValues): number {
  for (let i = 0; i < a.length; i++) {
    const left = a[i];
    const right = b[i];
    if (left === right) continue;
    if (left === undefined) return -1;
    if (right === undefined) return 1;
    return compareText(left, right);
  }
  return 0;
}

/** No two lists of values have the same text when these are joined. */
function keyOfOne(value: string | undefined): string {
  return value === undefined ? '-' : `${value.length}:${value}`;
}

function tooManyGroups(groupBy: readonly string[]): PitwallError {
  return new PitwallError('query_too_large', {
    detail: `groupBy ${groupBy.join(', ')} makes more than ${maxGroups} groups; group by fewer tags, or ask for less time`,
  });
}
