import { groupsOfView } from '../log/head.ts';
import { gatherRun, plainRun } from '../log/plain-sections.ts';
import { hasSameTagDictionary, rowsExtent, rowsParameters, viewRows } from '../log/rows-section.ts';
import type { SlabWords } from '../log/slab.ts';
import { sectionsWanted } from '../log/stream-sections.ts';
import { keepOffsets } from '../rows/gather-rows.ts';
import { type PlacedGroup, type RowGroup, rowsInside } from '../rows/row-group.ts';
import { rangeInWindow } from '../rows/windows.ts';
import { hiddenShare, windowTombstones } from '../tombstones/stream-tombstones.ts';
import { hideRows } from '../tombstones/tombstone.ts';
import type { Walk } from './walk.ts';

/** A section of the head that may have rows inside a walk. */
export interface HeadSection {
  readonly words: SlabWords;
  readonly at: number;
  /** The first and the last time of its rows, nanoseconds, both inclusive. */
  readonly first: bigint;
  readonly last: bigint;
  /** Whether all its rows lie between the walk's times. */
  readonly isInside: boolean;
  /** The record that wrote it. */
  readonly lsn: number;
  /** Whether deletes may take values of it. */
  readonly isTouched: boolean;
}

/**
 * Sections of the walk's stream, in LSN order.
 *
 * @param wanted numbers of parameters: of sections without a column of these some may be left out
 */
export function headSections(walk: Walk, wanted?: ReadonlySet<number>): HeadSection[] {
  const { snapshot, stream, from, to, tombstones, withEvents } = walk;
  const found: HeadSection[] = [];
  for (const view of snapshot.heads) {
    const { words, index } = view;
    for (const section of sectionsWanted(view, stream, from, to, wanted)) {
      const at = index.sections[section]!;
      const { first, last } = rowsExtent(words, at);
      if (last < from || first > to) continue;
      const isInside = first >= from && last <= to;
      const lsn = index.lsns[section]!;
      const share = hiddenShare(tombstones, lsn, first, last);
      if (share === 'all' && !withEvents) continue;
      found.push({ words, at, first, last, isInside, lsn, isTouched: share !== 'none' });
    }
  }
  return found;
}

/** Whether the walk takes all rows of the section with all their values. */
export function isWholeSection({ isInside, isTouched }: HeadSection): boolean {
  return isInside && !isTouched;
}

/** Numbers of the parameters with which the section was written. */
export function sectionParameters({ words, at }: HeadSection): number[] {
  return rowsParameters(words, at);
}

/**
 * The rows of a section that the walk takes, window by window, as they came: in any order, identities possibly
 * repeated, some without a value. The arrays may be views into the slab.
 *
 * @param wanted numbers of parameters; by default all
 */
export function sectionRows(
  { from, to, tombstones }: Walk,
  { words, at, isInside, lsn, isTouched }: HeadSection,
  wanted?: ReadonlySet<number>,
): PlacedGroup[] {
  const view = viewRows(words, at, wanted);
  if (view.columns.length === 0) return [];
  const written = groupsOfView(view);
  if (isInside && !isTouched) return written;
  const taken: PlacedGroup[] = [];
  for (const { window, group } of written) {
    const inside = rangeInWindow(window, from, to);
    if (inside === undefined) continue;
    const hidden = isTouched ? windowTombstones(tombstones, lsn, window, inside.first, inside.last) : [];
    const shown = hideRows(group, hidden);
    const cut = isInside ? shown : view.ascending ? rowsInside(shown, inside) : keepOffsets(shown, inside);
    if (cut.count > 0) taken.push({ window, group: cut });
  }
  return taken;
}

/** The tags of rows. */
export type TaggedRows = Pick<RowGroup, 'count' | 'tagSets' | 'tagIndex'>;

/** The tags of a section's rows between the walk's times. Deletes may have taken some of the rows. */
export function sectionTags(walk: Walk, section: HeadSection): TaggedRows[] {
  if (!section.isInside) return sectionRows(walk, section).map(({ group }) => group);
  return [viewRows(section.words, section.at, noParameters)];
}

const noParameters: ReadonlySet<number> = new Set();

/** Whether two sections were written with the same tag sets; some of these may have no row. Nothing is decoded. */
export function haveSameTags(a: HeadSection, b: HeadSection): boolean {
  return hasSameTagDictionary(a.words, a.at, b.words, b.at);
}

/** The rows of all sections that the walk takes, by window, in LSN order. */
export function headRows(walk: Walk, wanted: ReadonlySet<number>): Map<number, RowGroup[]> {
  const windows = new Map<number, RowGroup[]>();
  for (const placed of headRowsInSlices(walk, wanted)) addPlaced(windows, placed);
  return windows;
}

/** The same, a section or a run of them after another. */
export function* headRowsInSlices(walk: Walk, wanted: ReadonlySet<number>): Generator<PlacedGroup> {
  const sections = headSections(walk, wanted);
  for (let i = 0; i < sections.length; ) {
    const run = plainRun(sections, i, wanted, isWholeSection);
    if (run === undefined) yield* sectionRows(walk, sections[i]!, wanted);
    else yield gatherRun(run);
    i += run?.sections.length ?? 1;
  }
}

export function addPlaced(windows: Map<number, RowGroup[]>, { window, group }: PlacedGroup): void {
  const groups = windows.get(window);
  if (groups === undefined) windows.set(window, [group]);
  else groups.push(group);
}
