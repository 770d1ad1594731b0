import type { Pace } from '../../../turns/pace.ts';
import type { GroupHandle } from '../codecs/row-group-directory.ts';
import { lowerBound } from '../parts/column-sets.ts';
import type { EncodedGroup } from '../parts/encoded-group.ts';
import { groupsOf } from '../parts/find-groups.ts';
import type { PartReader } from '../parts/part-reader.ts';
import type { Part } from '../parts/part-readers.ts';
import { cleanLsnOf, mayHaveRows, windowsOf } from '../parts/part-record.ts';
import { spanBytesOf } from '../parts/span-file.ts';
import { dropEmptyRows } from '../rows/gather-rows.ts';
import { type RowGroup, rowsInside } from '../rows/row-group.ts';
import { rowsOutside } from '../rows/rows-outside.ts';
import { type OffsetRange, rangeInWindow } from '../rows/windows.ts';
import type { OpenSnapshot } from '../snapshot/snapshot.ts';
import { hiddenRanges, type Taken } from '../tombstones/hidden-ranges.ts';
import { coversAll, windowTombstones } from '../tombstones/stream-tombstones.ts';
import { hideRows, hidesColumn, type Tombstone, type WindowTombstone } from '../tombstones/tombstone.ts';
import { type IndexedPart, indexParts, inSpans, letGoOf, reaches, readable } from './indexed-parts.ts';
import type { Walk } from './walk.ts';

/** A row group of a part that may have rows inside a walk. */
export interface PartGroup {
  readonly kind: 'group';
  /** The part's place in order of LSN. */
  readonly rank: number;
  readonly part: Part;
  readonly reader: PartReader;
  readonly handle: GroupHandle;
  readonly window: number;
  /** The walk's times; rows of the group outside of them are not wanted. */
  readonly inside: OffsetRange;
  /** Of the rows inside, as far as the index tells. */
  readonly first: number;
  readonly last: number;
  /** Deletes that may take values of it. */
  readonly hidden: readonly WindowTombstone[];
}

/** A row group that nothing overlaps. */
export interface GroupPiece {
  readonly kind: 'group';
  readonly group: PartGroup;
  /** Ascending and apart: rows there are deleted, or have none of the wanted values left. The others are as they are stored. */
  readonly hidden: readonly OffsetRange[];
}

/**
 * The row groups of the walk's stream in parts of one window; nothing is read.
 *
 * @param wanted numbers of parameters; groups that surely have none of them are left out
 */
export function groupsOfParts(
  { stream, tombstones, withEvents }: Walk,
  parts: readonly IndexedPart[],
  window: number,
  inside: OffsetRange,
  wanted?: ReadonlySet<number>,
): PartGroup[] {
  const found: PartGroup[] = [];
  for (let rank = 0; rank < parts.length; rank++) {
    const { part, reader, kept } = parts[rank]!;
    if (!reaches(part, window, inside)) continue;
    const handles = groupsOf(kept.index, stream, inside.first, inside.last, wanted, window);
    if (handles.length === 0) continue;
    const cleanLsn = cleanLsnOf(part.record);
    for (const handle of handles) {
      const first = Math.max(handle.minOffset, inside.first);
      const last = Math.min(handle.maxOffset, inside.last);
      const hidden = windowTombstones(tombstones, cleanLsn, window, first, last);
      if (!withEvents && coversAll(hidden, first, last)) continue;
      found.push({ kind: 'group', rank, part, reader, handle, window, inside, first, last, hidden });
    }
  }
  return found;
}

/** The number of streams from which on all parts are looked at for each stream at once. */
export const manyStreams = 64;

/** The parts of a snapshot for walks over many streams in order of their numbers: nothing is waited for but bytes. */
export interface PinnedParts {
  /** The row groups that a walk meets, those of one part after another. */
  groupsOn(walk: Walk): PartGroup[];
  /** Always to be called. */
  letGo(): void;
}

/** Loads the indexes of the parts that may have rows between two times (ns, both inclusive); small row groups are read in spans. */
export async function pinParts(
  { snapshot, readers }: OpenSnapshot,
  from: bigint,
  to: bigint,
  pace: Pace,
): Promise<PinnedParts> {
  await pace();
  const parts = snapshot.parts.filter(({ record }) => mayHaveRows(record, from, to));
  const pinned = await indexParts(readers, parts);
  const spanBytes = spanBytesOf(pinned.length);
  const spanned = pinned.map((item) => [inSpans(item, spanBytes)]);
  return {
    groupsOn(walk) {
      const found: PartGroup[] = [];
      for (const indexed of spanned) addGroups(found, walk, indexed);
      return found;
    },
    letGo: () => letGoOf(pinned),
  };
}

/** Adds the row groups of one part that a walk meets. */
function addGroups(found: PartGroup[], walk: Walk, indexed: readonly IndexedPart[]): void {
  const { record } = indexed[0]!.part;
  if (!mayHaveRows(record, walk.from, walk.to)) return;
  for (const window of windowsOf(record)) {
    const inside = rangeInWindow(window, walk.from, walk.to);
    if (inside !== undefined) found.push(...groupsOfParts(walk, indexed, window, inside));
  }
}

/** The row groups that a walk meets, those of one part after another. */
export async function* partGroups(
  { snapshot, readers }: OpenSnapshot,
  walk: Walk,
  pace: Pace,
): AsyncGenerator<readonly PartGroup[]> {
  for (const part of snapshot.parts) {
    if (!mayHaveRows(part.record, walk.from, walk.to)) continue;
    await pace();
    const indexed = await indexParts(readers, [part]);
    const found: PartGroup[] = [];
    addGroups(found, walk, indexed);
    letGoOf(indexed);
    if (found.length > 0) yield found;
  }
}

/** Whether the walk takes all rows of the group with all their values. */
export function isWholeGroup({ handle, inside, hidden }: PartGroup): boolean {
  return handle.minOffset >= inside.first && handle.maxOffset <= inside.last && hidden.length === 0;
}

/**
 * Reads the rows of a group that the walk takes; where deletes reach it, those that lost all values may be left out.
 *
 * @param wanted numbers of parameters, ascending; by default all
 */
export async function groupRows(group: PartGroup, wanted?: readonly number[]): Promise<RowGroup> {
  const { part, reader, handle } = group;
  return shownRows(group, await readable(part, () => reader.readGroup(handle, wanted)));
}

/**
 * The same of wanted parameters, a few columns after another, so that a group of very many is not one step: a row comes with each
 * in which it has a value. At once where the bytes are at hand.
 */
export function groupRowsInSlices(
  group: PartGroup,
  wanted: ReadonlySet<number>,
): Iterable<RowGroup> | Promise<Iterable<RowGroup>> {
  const encoded = readEncoded(group, wanted);
  const slicesOf = (view: EncodedGroup) => columnSlices(group, view, wanted);
  return encoded instanceof Promise ? encoded.then(slicesOf) : slicesOf(encoded);
}

function* columnSlices(
  group: PartGroup,
  view: EncodedGroup,
  wanted: ReadonlySet<number>,
): Generator<RowGroup> {
  const { stream, rows: count } = group.handle;
  const axes = { stream, count, offsets: view.offsets(), ...view.tags() };
  const entries = view.columns.filter(({ parameter }) => wanted.has(parameter));
  for (let from = 0; from < entries.length; from += columnsOfSlice) {
    const columns = entries.slice(from, from + columnsOfSlice).map((entry) => view.values(entry));
    yield shownRows(group, { ...axes, columns });
  }
}

/** As many as a group of the most rows has (`maxGroupBytes`). */
const columnsOfSlice = 128;

/** How many rows of a group that no delete reaches the walk takes; at once where the bytes are at hand. */
export function countOfGroup(group: PartGroup): number | Promise<number> {
  const { handle, inside } = group;
  if (isWholeGroup(group)) return handle.rows;
  const encoded = readEncoded(group, noParameters);
  const countOf = (view: EncodedGroup) => {
    const offsets = view.offsets();
    return (
      lowerBound(offsets, inside.last + 1, 0, handle.rows) - lowerBound(offsets, inside.first, 0, handle.rows)
    );
  };
  return encoded instanceof Promise ? encoded.then(countOf) : countOf(encoded);
}

const noParameters: ReadonlySet<number> = new Set();

/** The rows of a group that is read, without what the walk does not take. */
export function shownRows({ inside, hidden }: PartGroup, stored: RowGroup): RowGroup {
  const rows = rowsInside(stored, inside);
  if (hidden.length === 0) return rows;
  const { whole, others } = hiddenRanges(hidden, (tombstone) => takenOf(tombstone, rows));
  return rowsOutside(hideRows(rows, others), whole);
}

function takenOf(tombstone: Tombstone, { columns }: RowGroup): Taken {
  const lost = columns.filter((column) => hidesColumn(tombstone, column)).length;
  return lost === 0 ? 'none' : lost === columns.length ? 'all' : 'some';
}

/** Reads the tags of those rows, and columns only where they tell which rows are left. */
export async function groupTags(group: PartGroup): Promise<Pick<RowGroup, 'count' | 'tagSets' | 'tagIndex'>> {
  // Where nothing is hidden a row is there whatever its values are.
  return group.hidden.length === 0 ? groupRows(group, []) : dropEmptyRows(await groupRows(group));
}

/** Reads which parameters a group was written with. */
export function groupParameters({ part, reader, handle }: PartGroup): Promise<number[]> {
  return readable(part, () => reader.readParameters(handle));
}

/** A group to be decoded as far as it is needed; who does so leaves out what is not `inside`, and what is deleted. */
export function readEncoded(
  { part, reader, handle }: PartGroup,
  parameters: ReadonlySet<number>,
): EncodedGroup | Promise<EncodedGroup> {
  const encoded = reader.view(handle, parameters);
  return encoded instanceof Promise ? readable(part, () => encoded) : encoded;
}
