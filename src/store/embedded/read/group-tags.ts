import type { DistinctTags } from '../../../query/groups/distinct-tags.ts';
import { rowOfClock } from '../codecs/times-codec.ts';
import { lowerBound } from '../parts/column-sets.ts';
import type { EncodedGroup } from '../parts/encoded-group.ts';
import type { PartReader } from '../parts/part-reader.ts';
import { partTags, visitPairs } from '../parts/part-tags.ts';
import { type PartGroup, readEncoded } from '../walk/walk-parts.ts';

/** Adds the tags of row groups of one part to those that were found. */
export interface GroupTagsAdder {
  /** Those of the rows between the walk's times; gives how many rows these are, at once where nothing has to be read. */
  add(group: PartGroup): number | Promise<number>;
  /** Keeps what was read of the part for later reads. */
  keep(): void;
}

/** What reads have found of the part is not read again. */
export function groupTagsOf(
  { groupTags: kept }: Pick<PartReader, 'groupTags'>,
  found: DistinctTags,
): GroupTagsAdder {
  const known = kept?.get(0) ?? partTags();
  const bytesBefore = known.bytes();
  /** A 1 for each pair that was added. */
  let added = new Uint8Array(known.pairs.length);

  function addPair(pair: number): void {
    if (added[pair] === 1) return;
    if (pair >= added.length) added = widened(added, known.pairs.length);
    added[pair] = 1;
    const [name, value] = known.pairs[pair]!;
    found.add(name, value);
  }

  function addEncoded(group: PartGroup, view: EncodedGroup): number {
    const { position, rows } = group.handle;
    const { first, end } = rowsOf(group, view);
    if (kept?.hasRoom(known.bytes()) !== true) {
      if (first < end) for (const set of view.tagsBetween(first, end)) found.addSet(set);
      return end - first;
    }
    known.add(position, view.tags(), rows, view.step);
    const tags = known.of(position);
    if (tags !== undefined) visitPairs(tags, first, end, addPair);
    else if (first < end) for (const set of view.tagsBetween(first, end)) found.addSet(set);
    return end - first;
  }

  return {
    add(group) {
      const tags = known.of(group.handle.position);
      const rows = tags && rowsOfClock(group, tags.step);
      if (rows !== undefined) {
        visitPairs(tags!, rows.first, rows.end, addPair);
        return rows.end - rows.first;
      }
      const encoded = readEncoded(group, noParameters);
      return encoded instanceof Promise
        ? encoded.then((view) => addEncoded(group, view))
        : addEncoded(group, encoded);
    },
    keep() {
      if (known.bytes() > bytesBefore) kept?.put(0, known, known.bytes());
    },
  };
}

function widened(marks: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const wider = new Uint8Array(2 * length);
  wider.set(marks);
  return wider;
}

interface Rows {
  readonly first: number;
  readonly end: number;
}

/** The rows of a group between the walk's times, `[first, end)`; the times are read only where some are not and no clock tells. */
function rowsOf(group: PartGroup, view: EncodedGroup): Rows {
  const known = rowsOfClock(group, view.step);
  if (known !== undefined) return known;
  const { handle, inside } = group;
  const offsets = view.offsets();
  const rowAt = (offset: number) => lowerBound(offsets, offset, 0, handle.rows);
  return { first: rowAt(inside.first), end: rowAt(inside.last + 1) };
}

/** The same where all rows are between the times, or a regular clock tells which; undefined otherwise. */
function rowsOfClock({ handle, inside }: PartGroup, step: number | undefined): Rows | undefined {
  const { rows, minOffset, maxOffset } = handle;
  if (minOffset >= inside.first && maxOffset <= inside.last) return { first: 0, end: rows };
  if (step === undefined || step === 0) return undefined;
  const rowAt = (offset: number) => rowOfClock(offset - minOffset, step, rows);
  return { first: rowAt(inside.first), end: rowAt(inside.last + 1) };
}

const noParameters: ReadonlySet<number> = new Set();
