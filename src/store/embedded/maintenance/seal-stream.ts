import { isPresent } from '../../../domain/parameter-data.ts';
import { startsAbsentByte } from '../../../domain/presence.ts';
import { noTags } from '../../../domain/tags.ts';
import { groupInWindow } from '../log/head.ts';
import { hasSameFullColumns, rowsColumns, rowsExtent, viewRows } from '../log/rows-section.ts';
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
import type { RowGroup } from '../rows/row-group.ts';
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
    await mergeRows(sourcesOf(from, from.sections, undefined), collectRows(writer));
    return;
  }
  for (const [family, sections] of sectionsByFamily(from, families)) {
    writer.beginFamily();
    await mergeRows(sourcesOf(from, sections, new Set(family)), collectRows(writer));
  }
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

/** The clocks of classes: sketches of the identities of their rows. */
function clocksOf({ slab, sections, window }: StreamSections, classes: readonly number[][]): ColumnClass[] {
  const clocks = classes.map((parameters) => ({ parameters, clock: clockSketch(), steps: regularSteps() }));
  const clockOf = new Map(clocks.flatMap((clock) => clock.parameters.map((parameter) => [parameter, clock])));
  let hashes = new Uint32Array(0);
  for (const at of sections) {
    const { count, base, span, offsets, tagSets, tagIndex, columns } = viewRows(slab, at);
    const shift = Number(base - windowStart(window));
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
  return clocks.map(({ parameters, clock, steps }) => ({ parameters, clock, isRegular: steps.isRegular }));
}

/** Tells whether offsets are at equal steps. */
function regularSteps() {
  let before: number | undefined;
  let step: number | undefined;
  let isRegular = true;

  function add(offset: number): void {
    if (before !== undefined) {
      step ??= offset - before;
      if (offset - before !== step) isRegular = false;
    }
    before = offset;
  }

  return {
    add,
    /** The first `count` of some offsets, each with `shift` added. */
    addAll(offsets: Float64Array, count: number, shift: number): void {
      for (let row = 0; row < count && isRegular; row++) add(offsets[row]! + shift);
    },
    get isRegular() {
      return isRegular;
    },
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
