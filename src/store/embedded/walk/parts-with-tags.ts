import { noTags, tagSet } from '../../../domain/tags.ts';
import { patternBudget } from '../../../query/bounds/pattern-budget.ts';
import { runsAlongRows } from '../../../query/plan/calculated.ts';
import type { AggregatePlan, ReadPlan, Selection } from '../../../query/plan/plan.ts';
import { compileTagFilters, type TagPredicate } from '../../../query/plan/tag-predicate.ts';
import type { Pace } from '../../../turns/pace.ts';
import type { PartReader } from '../parts/part-reader.ts';
import type { Part } from '../parts/part-readers.ts';
import type { TagSummary } from '../parts/tag-summary.ts';
import type { OpenSnapshot } from '../snapshot/snapshot.ts';
import { type ByWindow, type IndexedPart, partsByWindow, readable } from './indexed-parts.ts';

/** Whether tags choose the rows that are read; what runs along rows needs them all, and tags choose after that. */
export function choosesByTags(plan: ReadPlan | AggregatePlan): boolean {
  return plan.tagFilters.length > 0 && !runsAlongRows(plan);
}

/**
 * A snapshot without the parts in whose rows a tag filter cannot hold. That is found out by the tags that a part says it
 * has. Of rows with equal times and tags the last write counts, so such a part has no say in the rows of the others.
 */
export async function partsWithTags(
  open: OpenSnapshot,
  { from, to, tagFilters }: Pick<Selection, 'from' | 'to' | 'tagFilters'>,
  pace: Pace,
): Promise<OpenSnapshot> {
  const budget = patternBudget();
  const tests = tagFilters.map((filter) => ({
    tag: filter.tag,
    holds: compileTagFilters([filter], budget)!,
  }));
  if (tests.length === 0) return open;
  const left = new Set(open.snapshot.parts);
  // Each once: a spread part is there for each of its windows.
  for (const part of new Set([...partsByWindow(open.snapshot, { from, to }).values()].flat())) {
    await pace();
    const reader = await readable(part, () => open.readers.open(part));
    const tags = await readable(part, () => reader.readTags());
    if (!tests.every(({ tag, holds }) => mayHold(tags, tag, holds))) left.delete(part);
  }
  return { readers: open.readers, snapshot: { ...open.snapshot, parts: [...left] } };
}

/** Whether a filter may hold for a row of a part: for one without the tag, or for one with a value of it. */
function mayHold(tags: TagSummary, tag: string, holds: TagPredicate): boolean {
  if (tags === undefined || holds(noTags)) return true;
  if (!tags.has(tag)) return false;
  const values = tags.get(tag);
  return values === undefined || values.some((value) => holds(tagSet([[tag, value]])));
}

/**
 * The parts whose rows count as rows without tags: all tag filters hold for each of them and for a row without tags, and
 * none has a tag to group by. A part tells which values its rows have of a tag, but not whether all rows have one.
 */
export async function untaggedParts(
  parts: ByWindow<IndexedPart>,
  { tagFilters, groupBy }: Pick<AggregatePlan, 'tagFilters' | 'groupBy'>,
  pace: Pace,
): Promise<ReadonlySet<Part>> {
  const budget = patternBudget();
  const tests = tagFilters.map((filter) => ({
    tag: filter.tag,
    holds: compileTagFilters([filter], budget)!,
  }));
  const untagged = new Set<Part>();
  if (!tests.every(({ holds }) => holds(noTags))) return untagged;
  const indexed = new Map([...parts.values()].flat().map(({ part, reader }) => [part, reader]));
  for (const [part, reader] of indexed) {
    await pace();
    const tags = await readable(part, () => reader.readTags());
    const isTagged =
      tags === undefined ||
      groupBy.some((tag) => tags.has(tag)) ||
      tests.some(({ tag, holds }) => tags.has(tag) && !holdsForAll(tags.get(tag), tag, holds));
    if (!isTagged) untagged.add(part);
  }
  return untagged;
}

function holdsForAll(values: readonly string[] | undefined, tag: string, holds: TagPredicate): boolean {
  return values?.every((value) => holds(tagSet([[tag, value]]))) ?? false;
}

/** The tags that a part says its rows have, some of which may be deleted; undefined where it does not tell. */
export async function tagsTold({ readers }: OpenSnapshot, part: Part): Promise<TagSummary> {
  const reader = await readable(part, () => readers.open(part));
  return readable(part, () => reader.readTags());
}

/** The values that a tag has in rows of a part, some of which may be deleted; undefined where nothing tells. */
export async function valuesTold(reader: PartReader, tag: string): Promise<readonly string[] | undefined> {
  const tags = await reader.readTags();
  if (tags === undefined) return undefined;
  return tags.has(tag) ? tags.get(tag) : [];
}
