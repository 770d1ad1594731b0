import { maxTimestamp, minTimestamp } from '../../../domain/timestamp.ts';
import type { Pace } from '../../../query/pace.ts';
import { emptyExtent, extend, type StreamExtent } from '../catalog/stream-extent.ts';
import { dropEmptyRows } from '../rows/gather-rows.ts';
import type { PlacedGroup } from '../rows/row-group.ts';
import { windowStart } from '../rows/windows.ts';
import type { OpenSnapshot } from './snapshot.ts';
import { type Walk, walkOf } from './walk.ts';
import { headSections, isWholeSection, sectionParameters, sectionRows } from './walk-head.ts';
import { groupParameters, groupRows, isWholeGroup, type PartGroup, partGroups } from './walk-parts.ts';

export interface ExtentQuestion {
  readonly stream: number;
  /** Parameters that surely have values left, and all that may have some. */
  readonly certain: readonly number[];
  readonly candidates: readonly number[];
  /** After so many row groups were read for their parameters, those not found yet count as there. */
  readonly maxReads: number;
}

/** The walk over all rows of a stream that are not expired; undefined where none can be. */
export function walkOfAll({ snapshot }: OpenSnapshot, stream: number): Walk | undefined {
  return walkOf(snapshot, stream, minTimestamp, maxTimestamp);
}

/**
 * What is left of a stream, by a union over all places that hold rows of it: nothing has to be merged. A row group that
 * is left whole is known from the index; another one is read only if it could tell something new.
 */
export async function streamExtent(
  open: OpenSnapshot,
  { stream, certain, candidates, maxReads }: ExtentQuestion,
  pace: Pace,
): Promise<StreamExtent> {
  const extent = emptyExtent();
  for (const parameter of certain) extent.parameters.add(parameter);
  const walk = walkOfAll(open, stream);
  if (walk === undefined) return extent;
  extendByHead(extent, walk);
  const isComplete = () => candidates.every((parameter) => extent.parameters.has(parameter));
  const whole: PartGroup[] = [];
  const others: PartGroup[] = [];
  for await (const groups of partGroups(open, walk, pace)) {
    for (const group of groups) {
      if (isWholeGroup(group)) extend(extent, ...timesOf(group), []);
      (isWholeGroup(group) ? whole : others).push(group);
    }
  }
  for (const group of whole.slice(0, maxReads)) {
    if (isComplete()) break;
    await pace();
    for (const parameter of await groupParameters(group)) extent.parameters.add(parameter);
  }
  if (whole.length > maxReads) for (const parameter of candidates) extent.parameters.add(parameter);
  for (const group of others) {
    await pace();
    const [first, last] = timesOf(group);
    if (!extent.isEmpty && first >= extent.first && last <= extent.last && isComplete()) continue;
    extendByRows(extent, { window: group.window, group: await groupRows(group) });
  }
  return extent;
}

function timesOf({ window, first, last }: PartGroup): [first: bigint, last: bigint] {
  const start = windowStart(window);
  return [start + BigInt(first), start + BigInt(last)];
}

function extendByHead(extent: StreamExtent, walk: Walk): void {
  for (const section of headSections(walk)) {
    if (isWholeSection(section)) extend(extent, section.first, section.last, sectionParameters(section));
    else for (const rows of sectionRows(walk, section)) extendByRows(extent, rows);
  }
}

/** Rows may stand in any order; those without a value don't count. */
function extendByRows(extent: StreamExtent, { window, group }: PlacedGroup): void {
  const { count, offsets, columns } = dropEmptyRows(group);
  if (count === 0) return;
  let first = offsets[0]!;
  let last = offsets[0]!;
  for (let row = 1; row < count; row++) {
    first = Math.min(first, offsets[row]!);
    last = Math.max(last, offsets[row]!);
  }
  const start = windowStart(window);
  const parameters = columns.map(({ parameter }) => parameter);
  extend(extent, start + BigInt(first), start + BigInt(last), parameters);
}
