import { isPresent } from '../../../domain/parameter-data.ts';
import { startsAbsentByte } from '../../../domain/presence.ts';
import { noTags } from '../../../domain/tags.ts';
import { groupInWindow } from '../log/head.ts';
import { gatherInParts, type PlacedSection, plainRun } from '../log/plain-sections.ts';
import {
  hasSameFullColumns,
  isUntaggedAndFull,
  rowsColumns,
  rowsExtent,
  rowsOffsets,
  rowsParameters,
  viewRows,
} from '../log/rows-section.ts';
import type { SlabWords } from '../log/slab.ts';
import type { PartWriter } from '../parts/part-writer.ts';
import { collectRows } from '../parts/row-collector.ts';
import { clockSets } from '../rows/clock-sets.ts';
import { clockSketch, identityHash, textHash } from '../rows/clock-sketch.ts';
import {
  type ColumnClass,
  type ColumnFamily,
  joinClasses,
  splitIntoClasses,
} from '../rows/column-families.ts';
import { dropEmptyRows } from '../rows/gather-rows.ts';
import { mergeRowGroups } from '../rows/merge-row-groups.ts';
import { maxGroupBytes, maxGroupRows, type RowGroup } from '../rows/row-group.ts';
import { rangeInWindow, windowSpan, windowStart } from '../rows/windows.ts';
import { hideRows, type WindowTombstone } from '../tombstones/tombstone.ts';
import { mergeRows, type RowSources } from './merge-rows.ts';

/** The rows of one stream and window in a slab. */
export interface StreamSections {
  readonly slab: SlabWords;
  /** Positions of sections, in order of LSN, and what tombstones hide of each. */
  readonly sections: readonly number[];
  hidden(section: number): readonly WindowTombstone[];
  readonly window: number;
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

function familiesOf(from: StreamSections): readonly ColumnFamily[] {
  const classes = splitIntoClasses(setsOf(from));
  return classes.length < 2 ? classes : joinClasses(clocksOf(from, classes));
}

function* setsOf({ slab, sections }: StreamSections): Generator<readonly number[]> {
  for (const at of sections) yield* clockSets(rowsColumns(slab, at), rowsExtent(slab, at).count);
}

/** What a section says of its rows without a view of them, where they have no tags and all values. */
const untagged = { tagSets: [noTags], tagIndex: undefined } as const;
const fullColumn = (parameter: number) => ({ parameter, present: undefined });

/** The clocks of classes: sketches of the identities of their rows. */
function clocksOf({ slab, sections, window }: StreamSections, classes: readonly number[][]): ColumnClass[] {
  const clocks = classes.map((parameters) => ({ parameters, clock: clockSketch(), steps: regularSteps() }));
  const clockOf = new Map(clocks.flatMap((clock) => clock.parameters.map((parameter) => [parameter, clock])));
  let hashes = new Uint32Array(0);
  for (const at of sections) {
    const { first, last, count } = rowsExtent(slab, at);
    const shift = Number(first - windowStart(window));
    const span = Number(last - first);
    const offsets = rowsOffsets(slab, at);
    const { tagSets, tagIndex, columns } = isUntaggedAndFull(slab, at)
      ? { ...untagged, columns: rowsParameters(slab, at).map(fullColumn) }
      : viewRows(slab, at);
    const tags = tagSets.map((set) => (set === noTags ? 0 : textHash(set.key)));
    if (hashes.length < count) hashes = new Uint32Array(2 * count);
    if (tagIndex === undefined) {
      const tag = tags[0]!;
      for (let row = 0; row < count; row++) hashes[row] = identityHash(offsets[row]! + shift, tag);
    } else {
      for (let row = 0; row < count; row++) {
        hashes[row] = identityHash(offsets[row]! + shift, tags[tagIndex[row]!]!);
      }
    }
    const isInside = shift >= 0 && shift + span < windowSpan;
    const seen = new Set<(typeof clocks)[number]>();
    for (const { parameter, present } of columns) {
      const clock = clockOf.get(parameter);
      if (clock === undefined || seen.has(clock)) continue;
      // Columns of one class have values in mostly the same rows.
      seen.add(clock);
      if (isInside && present === undefined) {
        clock.clock.addAll(hashes, count);
        clock.steps.addAll(offsets, count, shift);
        continue;
      }
      for (let row = 0; row < count; row++) {
        const offset = offsets[row]! + shift;
        if (startsAbsentByte(present, row)) row += 7;
        else if (isPresent(present, row) && offset >= 0 && offset < windowSpan) {
          clock.clock.add(hashes[row]!);
          clock.steps.add(offset);
        }
      }
    }
  }
  return clocks.map(({ parameters, clock, steps }) => ({ parameters, clock, isRegular: steps.isRegular() }));
}

/** Tells whether offsets are at equal steps. */
function regularSteps() {
  // NaN before the first one. In local variables while many are added: doubles that live in a closure are objects.
  let before = Number.NaN;
  let step = Number.NaN;
  let isRegular = true;

  /** The first `count` of some offsets, each with `shift` added. */
  function addAll(offsets: ArrayLike<number>, count: number, shift: number): void {
    if (!isRegular || count === 0) return;
    let last = Number.isNaN(before) ? offsets[0]! + shift : before;
    let wanted = step;
    for (let row = Number.isNaN(before) ? 1 : 0; row < count; row++) {
      const distance = offsets[row]! + shift - last;
      if (distance !== wanted) {
        if (!Number.isNaN(wanted)) {
          isRegular = false;
          return;
        }
        wanted = distance;
      }
      last += distance;
    }
    before = last;
    step = wanted;
  }

  return {
    add: (offset: number) => addAll([offset], 1, 0),
    addAll,
    isRegular: () => isRegular,
  };
}

/** For each family the sections that have columns of it. */
function sectionsByFamily(
  { slab, sections }: StreamSections,
  families: readonly ColumnFamily[],
): [ColumnFamily, number[]][] {
  const found = families.map((family): [ColumnFamily, number[]] => [family, []]);
  const familyOf = new Map(
    found.flatMap(([family, own]) => family.map((parameter): [number, number[]] => [parameter, own])),
  );
  for (const at of sections) {
    for (const { parameter } of rowsColumns(slab, at)) {
      const own = familyOf.get(parameter);
      if (own !== undefined && own.at(-1) !== at) own.push(at);
    }
  }
  return found;
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
