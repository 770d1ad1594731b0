import { groupInWindow } from '../log/head.ts';
import { gatherInParts, type PlacedSection, plainRun } from '../log/plain-sections.ts';
import { hasSameFullColumns, rowsExtent, rowsParameters, viewRows } from '../log/rows-section.ts';
import type { PartWriter } from '../parts/part-writer.ts';
import { collectRows } from '../parts/row-collector.ts';
import { dropEmptyRows } from '../rows/gather-rows.ts';
import { mergeRowGroups } from '../rows/merge-row-groups.ts';
import { maxGroupBytes, maxGroupRows, type RowGroup } from '../rows/row-group.ts';
import { rangeInWindow } from '../rows/windows.ts';
import { hideRows, type WindowTombstone } from '../tombstones/tombstone.ts';
import { mergeRows, type RowSources } from './merge-rows.ts';
import { type ClockedSections, familiesOf, sectionsByFamily } from './section-families.ts';

/** The rows of one stream and window in a slab. */
export interface StreamSections extends ClockedSections {
  /** What tombstones hide of a section. */
  hidden(section: number): readonly WindowTombstone[];
}

/**
 * Writes the rows of a stream and window, one family of columns after another. What it takes goes by the values:
 * columns with times of their own never stand in rows of others.
 */
export async function sealStream(from: StreamSections, writer: PartWriter): Promise<void> {
  const families = haveSameFullColumns(from) ? undefined : familiesOf(from);
  if (families === undefined || families.length === 1) {
    await sealRows(from, from.sections, undefined, writer);
    return;
  }
  for (const [family, sections] of sectionsByFamily(from, families)) {
    writer.beginFamily();
    await sealRows(from, sections, new Set(family), writer);
  }
}

/** Writes the rows of sections, with the columns of `wanted` parameters (undefined: all). */
async function sealRows(
  from: StreamSections,
  sections: readonly number[],
  wanted: ReadonlySet<number> | undefined,
  writer: PartWriter,
): Promise<void> {
  if (!sealPlain(from, sections, wanted, writer))
    await mergeRows(sourcesOf(from, sections, wanted), collectRows(writer));
}

/**
 * Writes sections that follow one another and have the same columns of numbers straight from the slab: each of them as a source of
 * its own would take several times as long. False, and nothing is written, where they are not all so.
 */
function sealPlain(
  { slab, hidden, window }: StreamSections,
  sections: readonly number[],
  wanted: ReadonlySet<number> = new Set(rowsParameters(slab, sections[0]!)),
  writer: PartWriter,
): boolean {
  const placed = sections.map((at): PlacedSection => {
    const { first, last } = rowsExtent(slab, at);
    return { words: slab, at, first, last };
  });
  const run = plainRun(placed, 0, wanted, ({ at }) => hidden(at).length === 0);
  if (run?.sections.length !== sections.length || run.window !== window) return false;
  const most = Math.max(1, Math.min(maxGroupRows, Math.floor(maxGroupBytes / (8 * run.columns.length))));
  const memory = gatherMemory(most * (1 + run.columns.length));
  for (const group of gatherInParts(run, most, (place) => memory.subarray(place * most, (place + 1) * most)))
    writer.add(group);
  return true;
}

let gathered: Float64Array | undefined;

/** Room for so many doubles, the same for one run after another: only as much of it as is written to takes memory. */
function gatherMemory(doubles: number): Float64Array {
  gathered ??= new Float64Array(maxGroupBytes / 8 + maxGroupRows);
  return doubles <= gathered.length ? gathered : new Float64Array(doubles);
}

/** Whether all sections have the same columns, and these a value in each row: then they have one clock. */
function haveSameFullColumns({ slab, sections }: StreamSections): boolean {
  return sections.every((at) => hasSameFullColumns(slab, sections[0]!, at));
}

function sourcesOf(
  { slab, window, hidden }: StreamSections,
  sections: readonly number[],
  wanted: ReadonlySet<number> | undefined,
): RowSources {
  const inside = (section: number) => {
    const { first, last } = rowsExtent(slab, sections[section]!);
    return rangeInWindow(window, first, last)!;
  };
  return {
    count: sections.length,
    first: (section) => inside(section).first,
    last: (section) => inside(section).last,
    load(section) {
      const at = sections[section]!;
      const rows = groupInWindow(viewRows(slab, at, wanted), window);
      return rows && orderedRows(hideRows(rows, hidden(at)));
    },
  };
}

/** The rows that have a value, in order. */
function orderedRows(group: RowGroup): RowGroup {
  return mergeRowGroups([dropEmptyRows(group)]);
}
