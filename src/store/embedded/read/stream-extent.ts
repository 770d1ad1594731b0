import { maxTimestamp, minTimestamp } from '../../../domain/timestamp.ts';
import type { Pace } from '../../../turns/pace.ts';
import { emptyExtent, extend, type StreamExtent } from '../catalog/stream-extent.ts';
import { dropEmptyRows } from '../rows/gather-rows.ts';
import type { PlacedGroup } from '../rows/row-group.ts';
import { windowStart } from '../rows/windows.ts';
import type { OpenSnapshot } from '../snapshot/snapshot.ts';
import { type Walk, walkOf } from '../walk/walk.ts';
import { headSections, isWholeSection, sectionParameters, sectionRows } from '../walk/walk-head.ts';
import {
  groupParameters,
  groupRowsInSlices,
  isWholeGroup,
  manyStreams,
  type PartGroup,
  type PinnedParts,
  partGroups,
  pinParts,
} from '../walk/walk-parts.ts';

/** What is left of some streams. It is plain data. */
export interface ExtentsQuestion {
  readonly kind: 'extents';
  /** Their numbers ascend where there are many. */
  readonly streams: readonly ExtentToFind[];
}

export interface ExtentToFind extends ExtentQuestion {
  readonly stream: number;
  readonly withEvents: boolean;
}

/** An extent as plain data. */
export interface FoundExtent extends Pick<StreamExtent, 'first' | 'last' | 'isEmpty'> {
  /** Undefined: all candidates. */
  readonly parameters: Uint32Array | undefined;
}

export interface ExtentQuestion {
  /** Times (ns) of rows that are surely left: the first row, the last, or both. */
  readonly knownTimes: readonly bigint[];
  /** Parameters that surely have values left, and all that may have some. */
  readonly certain: readonly number[];
  readonly candidates: readonly number[];
  /** After so many row groups were read for their parameters, those not found yet count as there. */
  readonly maxReads: number;
}

/** The walk over all rows of a stream that are not expired; undefined where none can be. */
export function walkOfAll({ snapshot }: OpenSnapshot, stream: number, withEvents: boolean): Walk | undefined {
  return walkOf(snapshot, stream, minTimestamp, maxTimestamp, withEvents);
}

/** In the order of the streams. */
export async function streamExtents(
  open: OpenSnapshot,
  { streams }: ExtentsQuestion,
  pace: Pace,
): Promise<FoundExtent[]> {
  const parts =
    streams.length < manyStreams ? undefined : await pinParts(open, minTimestamp, maxTimestamp, pace);
  const found: FoundExtent[] = [];
  try {
    for (const question of streams) {
      const turn = pace();
      if (turn !== undefined) await turn;
      const walk = walkOfAll(open, question.stream, question.withEvents);
      const { parameters, ...times } = await streamExtent(open, walk, question, pace, parts);
      const hasAll =
        parameters.size === question.candidates.length &&
        question.candidates.every((parameter) => parameters.has(parameter));
      found.push({ ...times, parameters: hasAll ? undefined : Uint32Array.from(parameters) });
    }
    return found;
  } finally {
    parts?.letGo();
  }
}

/**
 * What is left of a stream, by a union over all places that hold rows of it: nothing has to be merged. A row group that
 * is left whole is known from the index; another one is read only if it could tell something new.
 *
 * @param parts those of the snapshot, where there are many streams, in order of their numbers
 */
export async function streamExtent(
  open: OpenSnapshot,
  walk: Walk | undefined,
  { certain, knownTimes, candidates, maxReads }: ExtentQuestion,
  pace: Pace,
  parts?: PinnedParts,
): Promise<StreamExtent> {
  const extent = emptyExtent();
  for (const parameter of certain) extent.parameters.add(parameter);
  for (const time of knownTimes) extend(extent, time, time, []);
  if (walk === undefined) return extent;
  const isComplete = () => candidates.every((parameter) => extent.parameters.has(parameter));
  const tellsNothing = (first: bigint, last: bigint) =>
    !extent.isEmpty && first >= extent.first && last <= extent.last && isComplete();
  const sections = headSections(walk);
  for (const section of sections) {
    if (isWholeSection(section)) extend(extent, section.first, section.last, sectionParameters(section));
  }
  const whole: PartGroup[] = [];
  const others: PartGroup[] = [];
  if (parts !== undefined) takeGroups(parts.groupsOn(walk));
  else for await (const groups of partGroups(open, walk, pace)) takeGroups(groups);
  for (const group of whole.slice(0, maxReads)) {
    if (isComplete()) break;
    await pace();
    for (const parameter of await groupParameters(group)) extent.parameters.add(parameter);
  }
  if (whole.length > maxReads) for (const parameter of candidates) extent.parameters.add(parameter);
  for (const section of sections) {
    if (isWholeSection(section) || tellsNothing(section.first, section.last)) continue;
    await pace();
    for (const rows of sectionRows(walk, section)) extendByRows(extent, rows);
  }
  others.sort((a, b) => a.handle.rows - b.handle.rows);
  const wanted = new Set(others.length === 0 ? [] : candidates);
  for (const group of others) {
    if (tellsNothing(...timesOf(group))) continue;
    const slices = groupRowsInSlices(group, wanted);
    for (const rows of slices instanceof Promise ? await slices : slices) {
      const turn = pace();
      if (turn !== undefined) await turn;
      extendByRows(extent, { window: group.window, group: rows });
    }
  }
  return extent;

  function takeGroups(groups: readonly PartGroup[]): void {
    for (const group of groups) {
      if (!isWholeGroup(group)) {
        others.push(group);
        continue;
      }
      // A row group without columns is not written.
      const { parameters } = group.handle;
      extend(extent, ...timesOf(group), parameters?.length === 1 ? [parameters[0]!] : []);
      if (parameters?.length !== 1) whole.push(group);
    }
  }
}

function timesOf({ window, first, last }: PartGroup): [first: bigint, last: bigint] {
  const start = windowStart(window);
  return [start + BigInt(first), start + BigInt(last)];
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
