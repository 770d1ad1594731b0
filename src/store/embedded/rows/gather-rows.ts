import { isPresent, type Presence } from '../../../domain/parameter-data.ts';
import { startsAbsentByte } from '../../../domain/presence.ts';
import { sliceRows } from '../../../domain/slice-rows.ts';
import type { TagSet } from '../../../domain/tags.ts';
import { parameterFinder } from './find-parameter.ts';
import type { GroupBytes, GroupColumn, GroupNumbers, RowGroup } from './row-group.ts';
import type { OffsetRange } from './windows.ts';

/**
 * Picks rows out of groups of one window: row i of the result is row `rows[i]` of `groups[sources[i]]`.
 * The result's columns are those of `parameters` that any group has, in that order.
 */
export function gatherRows(
  groups: readonly RowGroup[],
  sources: Uint32Array,
  rows: Uint32Array,
  parameters: readonly number[],
): RowGroup {
  const count = rows.length;
  const offsets = new Float64Array(count);
  for (let i = 0; i < count; i++) offsets[i] = groups[sources[i]!]!.offsets[rows[i]!]!;
  const finders = groups.map((group) => parameterFinder(group.columns));
  const columns: GroupColumn[] = [];
  for (const parameter of parameters) {
    const column = gatherColumn(
      finders.map((find) => find(parameter)),
      sources,
      rows,
    );
    if (column !== undefined) columns.push(column);
  }
  return { stream: groups[0]!.stream, count, offsets, ...gatherTags(groups, sources, rows), columns };
}

function gatherTags(
  groups: readonly RowGroup[],
  sources: Uint32Array,
  rows: Uint32Array,
): { tagSets: readonly TagSet[]; tagIndex: Uint32Array | undefined } {
  const sets: TagSet[] = [];
  const numbers = new Map<string, number>();
  const maps = groups.map(({ tagSets }) =>
    Uint32Array.from(tagSets, (set) => {
      let number = numbers.get(set.key);
      if (number === undefined) {
        number = sets.length;
        numbers.set(set.key, number);
        sets.push(set);
      }
      return number;
    }),
  );
  if (sets.length === 1) return { tagSets: sets, tagIndex: undefined };
  const tagIndex = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const source = sources[i]!;
    tagIndex[i] = maps[source]![groups[source]!.tagIndex?.[rows[i]!] ?? 0]!;
  }
  return { tagSets: sets, tagIndex };
}

/** The tags of some rows, with a dictionary of theirs alone. */
export function pickTags(
  { tagSets, tagIndex }: Pick<RowGroup, 'tagSets' | 'tagIndex'>,
  rows: Uint32Array,
): Pick<RowGroup, 'tagSets' | 'tagIndex'> {
  if (tagIndex === undefined) return { tagSets, tagIndex };
  const sets: TagSet[] = [];
  const numbers = new Map<number, number>();
  const index = rows.map((row) => {
    const set = tagIndex[row]!;
    let number = numbers.get(set);
    if (number === undefined) {
      number = sets.push(tagSets[set]!) - 1;
      numbers.set(set, number);
    }
    return number;
  });
  return { tagSets: sets, tagIndex: sets.length === 1 ? undefined : index };
}

type MaybeColumn = GroupColumn | undefined;

/** One column of the result of `gatherRows`; undefined where no group has it. */
export function gatherColumn(
  columns: readonly MaybeColumn[],
  sources: Uint32Array,
  rows: Uint32Array,
): MaybeColumn {
  const sample = columns.find((column) => column !== undefined);
  if (sample === undefined) return undefined;
  const present = gatherPresence(columns, sources, rows);
  return 'ends' in sample
    ? gatherBytes(columns as readonly (GroupBytes | undefined)[], sample, present, sources, rows)
    : gatherNumbers(columns as readonly (GroupNumbers | undefined)[], sample, present, sources, rows);
}

function gatherPresence(columns: readonly MaybeColumn[], sources: Uint32Array, rows: Uint32Array): Presence {
  if (columns.every((column) => column !== undefined && column.present === undefined)) return undefined;
  const present = new Uint8Array((rows.length + 7) >> 3);
  for (let i = 0; i < rows.length; i++) {
    const column = columns[sources[i]!];
    if (column !== undefined && isPresent(column.present, rows[i]!)) present[i >> 3]! |= 1 << (i & 7);
  }
  return present;
}

function gatherNumbers(
  columns: readonly (GroupNumbers | undefined)[],
  { parameter, kind }: GroupNumbers,
  present: Presence,
  sources: Uint32Array,
  rows: Uint32Array,
): GroupNumbers {
  const values = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const column = columns[sources[i]!];
    if (column !== undefined) values[i] = column.values[rows[i]!]!;
  }
  return { parameter, kind, values, present };
}

function gatherBytes(
  columns: readonly (GroupBytes | undefined)[],
  { parameter, kind }: GroupBytes,
  present: Presence,
  sources: Uint32Array,
  rows: Uint32Array,
): GroupBytes {
  const ends = new Uint32Array(rows.length);
  let total = 0;
  for (let i = 0; i < rows.length; i++) {
    if (isPresent(present, i)) {
      const column = columns[sources[i]!]!;
      total += column.ends[rows[i]!]! - startOf(column, rows[i]!);
    }
    ends[i] = total;
  }
  const bytes = new Uint8Array(total);
  for (let i = 0; i < rows.length; i++) {
    if (!isPresent(present, i)) continue;
    const column = columns[sources[i]!]!;
    const row = rows[i]!;
    bytes.set(column.bytes.subarray(startOf(column, row), column.ends[row]!), i === 0 ? 0 : ends[i - 1]!);
  }
  return { parameter, kind, bytes, ends, present };
}

function startOf(column: GroupBytes, row: number): number {
  return row === 0 ? 0 : column.ends[row - 1]!;
}

/** The rows of a group that `keep` names, by index, in the order of `keep`. */
export function takeRows(group: RowGroup, keep: Uint32Array): RowGroup {
  const parameters = group.columns.map((column) => column.parameter);
  return gatherRows([group], new Uint32Array(keep.length), keep, parameters);
}

/** The rows [from, to) of a group in memory of their own. */
export function copyRows(group: RowGroup, from: number, to: number): RowGroup {
  return takeRows(
    group,
    Uint32Array.from({ length: to - from }, (_, i) => from + i),
  );
}

/** The rows of a group that have wanted tags. */
export function keepTags(group: RowGroup, wanted: (set: TagSet) => boolean): RowGroup {
  const { count, tagSets, tagIndex } = group;
  const answers = tagSets.map((set) => wanted(set));
  if (tagIndex === undefined) return answers[0] ? group : sliceRows(group, 0, 0);
  const keep: number[] = [];
  for (let row = 0; row < count; row++) if (answers[tagIndex[row]!]) keep.push(row);
  return keep.length === count ? group : takeRows(group, Uint32Array.from(keep));
}

/** The rows of a group inside a range of offsets; they may stand in any order. */
export function keepOffsets(group: RowGroup, { first, last }: OffsetRange): RowGroup {
  const { count, offsets } = group;
  const keep: number[] = [];
  for (let row = 0; row < count; row++) if (offsets[row]! >= first && offsets[row]! <= last) keep.push(row);
  return keep.length === count ? group : takeRows(group, Uint32Array.from(keep));
}

/** The group without the rows in which no column has a value. */
export function dropEmptyRows(group: RowGroup): RowGroup {
  if (group.columns.some((column) => column.present === undefined)) return group;
  const any = new Uint8Array((group.count + 7) >> 3);
  for (const { present } of group.columns) for (let i = 0; i < any.length; i++) any[i]! |= present![i]!;
  const keep: number[] = [];
  for (let i = 0; i < group.count; i++) {
    if (startsAbsentByte(any, i)) i += 7;
    else if (isPresent(any, i)) keep.push(i);
  }
  return keep.length === group.count ? group : takeRows(group, Uint32Array.from(keep));
}

/** The group with its rows in the opposite order. */
export function reverseRows(group: RowGroup): RowGroup {
  return takeRows(
    group,
    Uint32Array.from({ length: group.count }, (_, i) => group.count - 1 - i),
  );
}
