import type { ListedTag } from '../../../domain/listing.ts';
import { paceQuery } from '../../../query/bounds/pace.ts';
import { type DistinctTags, distinctTags } from '../../../query/groups/distinct-tags.ts';
import type { Selection } from '../../../query/plan/plan.ts';
import type { Pace } from '../../../turns/pace.ts';
import { oldestRetained } from '../catalog/retention.ts';
import type { PartIndex } from '../parts/part-index.ts';
import type { Part } from '../parts/part-readers.ts';
import { mayHaveRows, type PartRecord, windowsOf } from '../parts/part-record.ts';
import type { TagSummary } from '../parts/tag-summary.ts';
import { windowStart } from '../rows/windows.ts';
import type { OpenSnapshot } from '../snapshot/snapshot.ts';
import { indexParts, letGoOf } from '../walk/indexed-parts.ts';
import { tagsTold } from '../walk/parts-with-tags.ts';
import { walkOf } from '../walk/walk.ts';
import { type HeadSection, haveSameTags, headSections, sectionTags } from '../walk/walk-head.ts';
import { pinParts } from '../walk/walk-parts.ts';
import { type GroupTagsAdder, groupTagsOf } from './group-tags.ts';
import type { ReadTerms } from './read-terms.ts';
import { passOver } from './small-groups.ts';
import { usedSets } from './tag-values.ts';

/** Times of a read, ns, both inclusive. */
type Range = Pick<Selection, 'from' | 'to'>;

/**
 * The tags of the selected rows, events included, in order of text. A part of which all rows are selected is taken by
 * what it says of its tags. Of any other the tags of selected row groups are read, until all that the part says is found.
 * Deletes are not looked at.
 *
 * @param streams the selected ones, ascending
 */
export async function tagNames(
  streams: Uint32Array,
  open: OpenSnapshot,
  { from, to }: Range,
  { signal, maxMs, countRows }: ReadTerms,
): Promise<ListedTag[]> {
  const { pace } = paceQuery(signal, maxMs);
  const found = distinctTags();
  const read: Reading = { streams, open, from, to, found, pace, countRows };
  const left: PartLeft[] = [];
  for (const part of open.snapshot.parts) {
    if (!mayHaveRows(part.record, from, to)) continue;
    await pace();
    const rest = await takeSummary(read, part);
    if (rest !== undefined) left.push(rest);
  }
  await addHeadTags(read);
  // Last: most of what these say is found by now.
  for (const part of left) await addFromGroups(read, part);
  return found.list();
}

interface Reading extends Range {
  readonly streams: Uint32Array;
  readonly open: OpenSnapshot;
  readonly found: DistinctTags;
  readonly pace: Pace;
  readonly countRows: (rows: number) => void;
}

/** A part whose row groups may have to be read. */
interface PartLeft {
  readonly part: Part;
  readonly tags: TagSummary;
  /** Those of the selected streams that it has rows of. */
  readonly streams: Uint32Array;
}

/** Takes what a part says where all its rows are selected; gives what is left to be read. */
async function takeSummary(read: Reading, part: Part): Promise<PartLeft | undefined> {
  const { open, found, pace } = read;
  const tags = await tagsTold(open, part);
  if (tags?.size === 0) return undefined;
  const indexed = await indexParts(open.readers, [part]);
  let chosen: Chosen;
  try {
    chosen = await chosenStreams(indexed[0]!.kept.index, read.streams, pace);
  } finally {
    letGoOf(indexed);
  }
  const { streams, isAll } = chosen;
  if (streams.length === 0) return undefined;
  const left = { part, tags, streams };
  if (tags === undefined || !isAll || !isInside(read, part.record, streams)) return left;
  let isTold = true;
  for (const [name, values] of tags) {
    const turn = pace();
    if (turn !== undefined) await turn;
    if (values === undefined) isTold = false;
    else for (const value of values) found.add(name, value);
  }
  return isTold ? undefined : left;
}

interface Chosen {
  readonly streams: Uint32Array;
  /** Whether a part has no others. */
  readonly isAll: boolean;
}

/** Runs between two calls of the pace. */
const runsOfTurn = 8192;

/** Those of some streams that a part has rows of; both ascend. */
async function chosenStreams({ runs }: PartIndex, streams: Uint32Array, pace: Pace): Promise<Chosen> {
  const chosen: number[] = [];
  let isAll = true;
  for (let run = 0, place = 0, steps = 0; run < runs.count; ) {
    const stream = runs.streams[run]!;
    place = passOver(streams, stream, place, streams.length);
    if (streams[place] === stream) {
      chosen.push(stream);
      run++;
      while (run < runs.count && runs.streams[run] === stream) run++;
    } else {
      isAll = false;
      if (place === streams.length) break;
      run = passOver(runs.streams, streams[place]!, run + 1, runs.count);
    }
    const turn = ++steps % runsOfTurn === 0 ? pace() : undefined;
    if (turn !== undefined) await turn;
  }
  return { streams: Uint32Array.from(chosen), isAll };
}

/** Whether all rows of a part lie between the times of a read, and none is expired. */
function isInside({ from, to, open }: Reading, record: PartRecord, streams: Uint32Array): boolean {
  const first = windowStart(record.window) + BigInt(record.minOffset);
  const last = windowStart(windowsOf(record).at(-1)!) + BigInt(record.maxOffset);
  if (first < from || last > to) return false;
  const { kept } = open.snapshot;
  return kept === undefined || streams.every((stream) => (oldestRetained(kept, stream) ?? first) <= first);
}

/** Adds the tags of selected row groups of a part, as long as these may have some that are not found yet. */
async function addFromGroups(read: Reading, { part, tags: told, streams }: PartLeft): Promise<void> {
  const { open, from, to, found, pace, countRows } = read;
  const isDone = allFound(found, told);
  if (isDone()) return;
  const pinned = await pinParts(
    { readers: open.readers, snapshot: { ...open.snapshot, parts: [part] } },
    from,
    to,
    pace,
  );
  let tags: GroupTagsAdder | undefined;
  try {
    for (const stream of streams) {
      const turn = pace();
      if (turn !== undefined) await turn;
      const walk = walkOf(open.snapshot, stream, from, to);
      if (walk === undefined) continue;
      for (const group of pinned.groupsOn(walk)) {
        tags ??= groupTagsOf(group.reader, found);
        const added = tags.add(group);
        countRows(typeof added === 'number' ? added : await added);
        if (isDone()) return;
        const pause = pace();
        if (pause !== undefined) await pause;
      }
    }
  } finally {
    tags?.keep();
    pinned.letGo();
  }
}

/** Tells whether all names and values that a part has are found. Each of them is looked at once, however often it is asked. */
function allFound(found: DistinctTags, tags: TagSummary): () => boolean {
  if (tags === undefined) return () => false;
  const told = [...tags];
  let tag = 0;
  let value = 0;
  return () => {
    for (; tag < told.length; tag++, value = 0) {
      const [name, values] = told[tag]!;
      if (found.isCounted(name)) continue;
      if (values === undefined) return false;
      for (; value < values.length; value++) if (!found.knows(name, values[value]!)) return false;
    }
    return true;
  };
}

/**
 * Adds the tags of rows in memory. A section has its tag sets in a dictionary. Sections of a stream that follow one another
 * mostly have the same, which is looked at once.
 */
export async function addHeadTags(read: {
  readonly streams: Uint32Array;
  readonly open: OpenSnapshot;
  readonly from: Selection['from'];
  readonly to: Selection['to'];
  readonly found: DistinctTags;
  readonly pace: Pace;
}): Promise<void> {
  const { streams, open, from, to, found, pace } = read;
  if (open.snapshot.heads.length === 0) return;
  for (const stream of streams) {
    const walk = walkOf(open.snapshot, stream, from, to);
    if (walk === undefined) continue;
    /** The section whose tag sets were all found last. */
    let known: HeadSection | undefined;
    for (const section of headSections(walk)) {
      const turn = pace();
      if (turn !== undefined) await turn;
      if (known !== undefined && haveSameTags(known, section)) continue;
      for (const rows of sectionTags(walk, section)) {
        const used = usedSets(rows);
        rows.tagSets.forEach((set, i) => {
          if (used[i] === 1) found.addSet(set);
        });
        if (section.isInside && used.every((isUsed) => isUsed === 1)) known = section;
      }
    }
    const turn = pace();
    if (turn !== undefined) await turn;
  }
}
