import type { Pace } from '../../../query/pace.ts';
import type { TagPredicate } from '../../../query/tag-predicate.ts';
import type { GroupHandle } from '../codecs/row-group-directory.ts';
import { DamagedError } from '../files/damage.ts';
import { groupsOfView, type HeadView, sectionsOf } from '../log/head.ts';
import { rowsExtent, viewRows } from '../log/rows-section.ts';
import type { PartReader } from '../parts/part-reader.ts';
import { cleanLsnOf } from '../parts/part-record.ts';
import type { Part, PartSet } from '../parts/part-set.ts';
import { copyRows, dropEmptyRows, keepTags } from '../rows/gather-rows.ts';
import { type MergePiece, mergePieces } from '../rows/merge-pieces.ts';
import { firstRowFrom, type RowGroup, sliceRows } from '../rows/row-group.ts';
import { rangeInWindow, windowOf } from '../rows/windows.ts';
import {
  hideRows,
  type Tombstone,
  tombstonesBetween,
  tombstonesOf,
  type WindowTombstone,
  windowTombstones,
} from '../tombstones/tombstone.ts';
import { mergeSources, type RowSource } from './overlap-merge.ts';

/** What a read works on from its first block to its last: a list of parts and views of slabs, both pinned. */
export interface Snapshot {
  readonly parts: readonly Part[];
  readonly heads: readonly HeadView[];
  /** What deletes have hidden; every reader below applies them. */
  readonly tombstones: readonly Tombstone[];
  /** The oldest time (ns) of a stream's rows that is not expired; undefined where none is. They apply that too. */
  readonly keptFrom: (stream: number) => bigint | undefined;
  readonly partSet: PartSet;
}

export interface PinnedSnapshot {
  readonly snapshot: Snapshot;
  release(): void;
}

export interface StreamRange {
  readonly stream: number;
  /** Nanoseconds, both inclusive. */
  readonly from: bigint;
  readonly to: bigint;
  /** Numbers of the wanted parameters. */
  readonly parameters: ReadonlySet<number>;
  /** Only rows with such tags; undefined means all. */
  readonly wanted?: TagPredicate | undefined;
  readonly descending: boolean;
  /** Asked before each window and each group. */
  readonly pace: Pace;
}

/** Rows of one window; offsets count from its start. */
export interface WindowRows {
  readonly window: number;
  readonly group: RowGroup;
}

/** The rows of one stream in order, each identity once, without rows that have none of the parameters. */
export async function* readStream(snapshot: Snapshot, asked: StreamRange): AsyncGenerator<WindowRows> {
  const kept = snapshot.keptFrom(asked.stream);
  const range = kept !== undefined && kept > asked.from ? { ...asked, from: kept } : asked;
  if (range.from > range.to) return;
  const head = headGroups(snapshot, range);
  const parts = partsByWindow(snapshot.parts, range);
  const windows = [...new Set([...head.keys(), ...parts.keys()])].sort((a, b) => a - b);
  if (range.descending) windows.reverse();
  for (const window of windows) {
    const inside = rangeInWindow(window, range.from, range.to);
    if (inside === undefined) continue;
    await range.pace();
    const sources = await partSources(snapshot, parts.get(window) ?? [], range, inside);
    sources.push(...sourcesOfHead(head.get(window) ?? [], inside, snapshot.parts.length));
    for await (const merged of mergeSources(sources, range.descending)) {
      const group = dropEmptyRows(range.wanted === undefined ? merged : keepTags(merged, range.wanted));
      if (group.count > 0) yield { window, group };
      await range.pace();
    }
  }
}

/** The rows of a stream in the slabs, by window, in order of LSN; the arrays may be views into the slabs. */
export function headGroups(
  { heads, tombstones }: Snapshot,
  range: Pick<StreamRange, 'stream' | 'from' | 'to' | 'parameters'>,
): Map<number, RowGroup[]> {
  const windows = new Map<number, RowGroup[]>();
  const own = tombstonesOf(tombstones, range.stream);
  for (const view of heads) {
    for (const { at, lsn } of sectionsOf(view, range.stream)) {
      const extent = rowsExtent(view.head.slab, at);
      if (extent.last < range.from || extent.first > range.to) continue;
      const rows = viewRows(view.head.slab, at, range.parameters);
      if (rows.columns.length === 0) continue;
      for (const { window, group: written } of groupsOfView(rows)) {
        const group = hideRows(written, windowTombstones(own, lsn, range.stream, window));
        const groups = windows.get(window);
        if (groups === undefined) windows.set(window, [group]);
        else groups.push(group);
      }
    }
  }
  return windows;
}

function sourcesOfHead(groups: readonly RowGroup[], inside: OffsetRange, rank: number): RowSource[] {
  if (groups.length === 0) return [];
  const pieces = mergePieces(groups);
  if (pieces.length !== 1) return sourcesOfPieces(pieces, inside, rank);
  const merged = pieces[0]!.merge();
  const from = firstRowFrom(merged.offsets, inside.first);
  const to = firstRowFrom(merged.offsets, inside.last + 1);
  if (from >= to) return [];
  // Slabs are used again, answers live on.
  const group = groups.length === 1 ? copyRows(merged, from, to) : sliceRows(merged, from, to);
  return [{ rank, first: group.offsets[0]!, last: group.offsets[group.count - 1]!, load: async () => group }];
}

/** The rows of pieces inside a range of offsets; they are merged when they are loaded. */
export function sourcesOfPieces(
  pieces: readonly MergePiece[],
  inside: OffsetRange,
  rank: number,
): RowSource[] {
  return pieces
    .filter(({ first, last }) => first <= inside.last && last >= inside.first)
    .map((piece) => ({
      rank,
      first: Math.max(piece.first, inside.first),
      last: Math.min(piece.last, inside.last),
      async load() {
        const rows = piece.merge();
        const from = firstRowFrom(rows.offsets, inside.first);
        return sliceRows(rows, from, firstRowFrom(rows.offsets, inside.last + 1));
      },
    }));
}

/** The parts that may have rows of a range of times, by window, in order of LSN. */
export function partsByWindow(
  parts: readonly Part[],
  range: Pick<StreamRange, 'from' | 'to'>,
): Map<number, Part[]> {
  const firstWindow = windowOf(range.from);
  const lastWindow = windowOf(range.to);
  const windows = new Map<number, Part[]>();
  for (const part of parts) {
    const { window, minOffset, maxOffset } = part.record;
    if (window < firstWindow || window > lastWindow) continue;
    const inside = rangeInWindow(window, range.from, range.to);
    if (inside === undefined || maxOffset < inside.first || minOffset > inside.last) continue;
    const found = windows.get(window);
    if (found === undefined) windows.set(window, [part]);
    else found.push(part);
  }
  return windows;
}

async function partSources(
  { partSet, tombstones }: Snapshot,
  parts: readonly Part[],
  range: StreamRange,
  inside: OffsetRange,
): Promise<RowSource[]> {
  const sources: RowSource[] = [];
  const wanted = [...range.parameters].sort((a, b) => a - b);
  for (const [rank, part] of parts.entries()) {
    const { reader, handles } = await readable(part, async () => {
      const { reader } = await partSet.open(part);
      return { reader, handles: await reader.groupsOf(range.stream, inside.first, inside.last) };
    });
    const hidden = windowTombstones(tombstones, cleanLsnOf(part.record), range.stream, part.record.window);
    for (const handle of handles)
      sources.push(sourceOfGroup({ part, rank, reader, handle }, hidden, inside, wanted));
  }
  return sources;
}

/** One row group of a part; `rank` is the part's place in order of LSN. */
export interface PartGroup {
  readonly part: Part;
  readonly rank: number;
  readonly reader: PartReader;
  readonly handle: GroupHandle;
}

/** The rows of a group inside a range of offsets, without what tombstones hide. */
export function sourceOfGroup(
  { part, rank, reader, handle }: PartGroup,
  hidden: readonly WindowTombstone[],
  inside: OffsetRange,
  wanted: readonly number[],
): RowSource {
  return {
    rank,
    first: Math.max(handle.minOffset, inside.first),
    last: Math.min(handle.maxOffset, inside.last),
    async load() {
      const stored = await readable(part, () => reader.readGroup(handle, wanted));
      const group = hideRows(stored, tombstonesBetween(hidden, handle.minOffset, handle.maxOffset));
      const from = firstRowFrom(group.offsets, inside.first);
      const to = firstRowFrom(group.offsets, inside.last + 1);
      return sliceRows(group, from, to);
    },
  };
}

/** Offsets in a window, both inclusive. */
export interface OffsetRange {
  readonly first: number;
  readonly last: number;
}

/** A part that is gone, or that the disk cannot read, is as damaged as one with other bytes. */
export async function readable<T>({ path }: Part, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'EIO') throw error;
    throw new DamagedError(path, 0, 0, message, { cause: error });
  }
}
