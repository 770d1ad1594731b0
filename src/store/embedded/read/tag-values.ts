import { tagValue } from '../../../domain/tags.ts';
import { paceQuery } from '../../../query/bounds/pace.ts';
import type { CountRows } from '../../../query/bounds/running-queries.ts';
import { type DistinctValues, distinctValues } from '../../../query/groups/distinct-values.ts';
import type { Selection } from '../../../query/plan/plan.ts';
import { compileTagFilters } from '../../../query/plan/tag-predicate.ts';
import type { Pace } from '../../../turns/pace.ts';
import { dropEmptyRows } from '../rows/gather-rows.ts';
import type { RowGroup } from '../rows/row-group.ts';
import type { OpenSnapshot } from '../snapshot/snapshot.ts';
import { readable } from '../walk/indexed-parts.ts';
import { valuesTold } from '../walk/parts-with-tags.ts';
import { type Walk, walkOf } from '../walk/walk.ts';
import { headSections, sectionRows } from '../walk/walk-head.ts';
import { groupTags, partGroups } from '../walk/walk-parts.ts';
import type { ReadTerms } from './read-terms.ts';

/** The values of a tag, collected. Nothing has to be merged for that, and of most rows only the tags are read. */
interface Found {
  add(rows: Pick<RowGroup, 'count' | 'tagSets' | 'tagIndex'>): void;
  readonly values: Pick<DistinctValues, 'has' | 'list'>;
}

/**
 * The distinct values of a tag on the selected rows, events included, in order of text.
 *
 * @param streams the selected ones
 */
export async function tagValues(
  streams: Uint32Array,
  open: OpenSnapshot,
  selection: Selection,
  tag: string,
  { signal, maxMs, countRows }: ReadTerms,
): Promise<string[]> {
  const found = collectValues(selection, tag, countRows);
  const { pace } = paceQuery(signal, maxMs);
  for (const stream of streams) {
    await pace();
    const walk = walkOf(open.snapshot, stream, selection.from, selection.to);
    if (walk !== undefined) await addTags(found, tag, open, walk, pace);
  }
  return found.values.list();
}

function collectValues({ tagFilters }: Selection, tag: string, countRows: CountRows): Found {
  const values = distinctValues(tag);
  const wanted = compileTagFilters(tagFilters);
  return {
    values,
    add(rows) {
      countRows(rows.count);
      const { tagSets } = rows;
      const used = usedSets(rows);
      tagSets.forEach((set, i) => {
        const value = tagValue(set, tag);
        if (value === undefined || values.has(value) || wanted?.(set) === false) return;
        if (used[i] === 1) values.add(value);
      });
    },
  };
}

/** A 1 for each tag set that some row has. */
export function usedSets({
  count,
  tagSets,
  tagIndex,
}: Pick<RowGroup, 'count' | 'tagSets' | 'tagIndex'>): Uint8Array {
  const used = new Uint8Array(tagSets.length);
  if (tagIndex === undefined) used[0] = count > 0 ? 1 : 0;
  else for (let row = 0; row < count; row++) used[tagIndex[row]!] = 1;
  return used;
}

async function addTags(found: Found, tag: string, open: OpenSnapshot, walk: Walk, pace: Pace): Promise<void> {
  for (const section of headSections(walk)) {
    await pace();
    for (const { group } of sectionRows(walk, section)) found.add(dropEmptyRows(group));
  }
  for await (const groups of partGroups(open, walk, pace)) {
    const told =
      groups.length === 0 ? [] : await readable(groups[0]!.part, () => valuesTold(groups[0]!.reader, tag));
    for (const group of groups) {
      // What the part says may be deleted, so a value counts only once a row has it; but there are no others.
      if (told?.every((value) => found.values.has(value)) === true) break;
      await pace();
      found.add(await groupTags(group));
    }
  }
}
