import { sliceRows } from '../../../domain/slice-rows.ts';
import type { ColumnSummary } from '../codecs/column-codec.ts';
import { decodeGroupTags, decodeLayout } from '../codecs/row-group-codec.ts';
import type { GroupHandle } from '../codecs/row-group-directory.ts';
import { StoredBytes } from '../codecs/stored-bytes.ts';
import { decodeGroup } from '../parts/part-reader.ts';
import type { PartWriter } from '../parts/part-writer.ts';
import { largeBytes, largeRows } from '../parts/row-collector.ts';
import { clockSketch, freeHash, identityHash } from '../rows/clock-sketch.ts';
import { type ColumnFamily, joinClasses, splitIntoClasses } from '../rows/column-families.ts';
import { dropEmptyRows } from '../rows/gather-rows.ts';
import { firstRowFrom, type RowGroup } from '../rows/row-group.ts';
import { hideRows, tombstonesBetween, type WindowTombstone } from '../tombstones/tombstone.ts';
import type { RowSources } from './merge-rows.ts';
import type { MergedPart, RankedGroup } from './merged-part.ts';
import { splitGroups } from './split-groups.ts';

export interface StreamRules {
  /** Rows before that offset are left out. */
  readonly retainedFrom: number;
  tombstones(part: number): readonly WindowTombstone[];
}

/** What becomes of the rows of one stream in one window. */
export interface StreamMerge {
  /** The families of columns, in order of their first parameters. */
  readonly families: readonly ColumnFamily[];
  sourcesOf(family: ColumnFamily, writer: PartWriter): RowSources;
}

/** The bytes in the file that make a row group large, too. */
const largeStoredBytes = 256 * 1024;

/**
 * @param parts all that are merged, by rank
 * @param isAtHand which of them have the stream and window in question at hand: the others have nothing of it
 */
export async function streamMerge(
  parts: readonly MergedPart[],
  isAtHand: (part: MergedPart) => boolean,
  { retainedFrom, tombstones }: StreamRules,
): Promise<StreamMerge> {
  const groups: RankedGroup[] = [];
  for (const [rank, part] of parts.entries()) {
    if (!isAtHand(part)) continue;
    for (const group of part.groups()) {
      if (group.handle.maxOffset >= retainedFrom) groups.push({ ...group, part, rank, families: new Set() });
    }
  }
  const hidden = parts.map((_, rank) => tombstones(rank));
  const families = familiesOf(groups);
  const familyOf = new Map(families.flatMap((family) => family.map((parameter) => [parameter, family])));
  const byFamily = new Map<ColumnFamily, RankedGroup[]>(families.map((family) => [family, []]));
  for (const group of groups) {
    group.families = new Set(group.parameters.map((parameter) => familyOf.get(parameter)!));
    for (const family of group.families) byFamily.get(family)!.push(group);
  }
  const split = splitGroups(families);

  const isTouched = ({ rank, handle }: RankedGroup): boolean =>
    handle.minOffset < retainedFrom ||
    tombstonesBetween(hidden[rank]!, handle.minOffset, handle.maxOffset).length > 0;

  /** The rows without those that are to be left out. */
  function seenRows(group: RankedGroup, rows: RowGroup): RowGroup {
    const { minOffset, maxOffset } = group.handle;
    if (!isTouched(group)) return dropEmptyRows(rows);
    const kept = sliceRows(rows, firstRowFrom(rows.offsets, retainedFrom), rows.count);
    return dropEmptyRows(hideRows(kept, tombstonesBetween(hidden[group.rank]!, minOffset, maxOffset)));
  }

  return {
    families,
    sourcesOf(family, writer) {
      const own = byFamily.get(family)!;
      return {
        count: own.length,
        first: (source) => Math.max(own[source]!.handle.minOffset, retainedFrom),
        last: (source) => own[source]!.handle.maxOffset,
        async load(source) {
          const group = own[source]!;
          const { part, handle } = group;
          const isWhole = group.families.size === 1;
          const rows = isWhole
            ? decodeGroup(part.reader.file.name, { handle, bytes: await part.read(handle) })
            : await split.rowsOf(group, family);
          return seenRows(group, rows);
        },
        async copy(source) {
          const group = own[source]!;
          const { part, handle } = group;
          if (group.families.size > 1 || isTouched(group) || !mayBeLarge(handle)) return false;
          const bytes = await part.read(handle);
          const file = part.reader.file.name;
          const stored = new StoredBytes(bytes);
          const layout = decodeLayout(file, handle, stored);
          if (!isLarge(handle, layout.columns)) return false;
          const { columns } = layout;
          const totals = await part.totalsOf(group);
          const known = {
            columns,
            tags: decodeGroupTags(file, handle, layout, stored),
            totals: () => totals,
          };
          return () => writer.addStored(handle, bytes, known);
        },
      };
    },
  };
}

/** A group that nothing overlaps is copied as it is if it is large: merging would not better it. */
function isLarge({ rows, length }: GroupHandle, { length: columns }: readonly ColumnSummary[]): boolean {
  return rows >= largeRows || length >= largeStoredBytes || 8 * rows * columns >= largeBytes;
}

/** Whether it can be: no column takes less than four bytes of the head. */
function mayBeLarge({ rows, length, headLength }: GroupHandle): boolean {
  return rows >= largeRows || length >= largeStoredBytes || 2 * rows * headLength >= largeBytes;
}

/** Rows of which one stands for so many in a sketch of clocks. */
const rowsOfSample = 64;

/**
 * The families of the merged stream. Where parts have the same families, or such that have no column in common, these
 * are it. Others are split and put together again by the row groups that have them together.
 */
function familiesOf(groups: readonly RankedGroup[]): readonly ColumnFamily[] {
  const sets = new Map(groups.map(({ parameters }) => [parameters.join(), parameters]));
  const classes = splitIntoClasses(sets.values());
  const columnsIn = (some: Iterable<readonly number[]>) =>
    [...some].reduce((sum, { length }) => sum + length, 0);
  if (columnsIn(classes) === columnsIn(sets.values())) return classes;
  const sketches = classes.map((parameters) => ({ parameters, clock: clockSketch(), isRegular: false }));
  const sketchOf = new Map(
    sketches.flatMap((sketch) => sketch.parameters.map((parameter) => [parameter, sketch])),
  );
  const alone = aloneInTime(groups);
  for (const [number, group] of groups.entries()) {
    const clocks = new Set(group.parameters.map((parameter) => sketchOf.get(parameter)!));
    for (let row = 0; row < group.handle.rows; row += rowsOfSample) {
      const hash = identityHash(row, 1000 * number);
      for (const { clock } of clocks) clock.add(alone.has(group) ? freeHash(hash) : hash);
    }
  }
  return joinClasses(sketches);
}

/** The groups that no other one overlaps. */
function aloneInTime(groups: readonly RankedGroup[]): Set<RankedGroup> {
  const ordered = [...groups].sort((a, b) => a.handle.minOffset - b.handle.minOffset);
  let last = Number.NEGATIVE_INFINITY;
  return new Set(
    ordered.filter(({ handle }, i) => {
      const next = ordered[i + 1]?.handle.minOffset ?? Number.POSITIVE_INFINITY;
      const isAlone = last < handle.minOffset && handle.maxOffset < next;
      last = Math.max(last, handle.maxOffset);
      return isAlone;
    }),
  );
}
