import type { Pace } from '../../../query/pace.ts';
import type { PatternBudget } from '../../../query/pattern-budget.ts';
import { compileTagFilters } from '../../../query/tag-predicate.ts';
import type { OpenSnapshot } from '../read/snapshot.ts';
import { readStream } from '../read/stream-rows.ts';
import { type Walk, walkOf } from '../read/walk.ts';
import { headSections } from '../read/walk-head.ts';
import {
  countOfGroup,
  isWholeGroup,
  type PartGroup,
  type PinnedParts,
  partGroups,
} from '../read/walk-parts.ts';
import { windowStart } from '../rows/windows.ts';
import type { RowDelete, RowsToCount } from './row-delete.ts';

/**
 * Rows of one place between two times (ns, both inclusive); `rows` where that is known without reading them, `group`
 * where its times alone tell.
 */
interface Stretch {
  readonly from: bigint;
  to: bigint;
  rows: number | undefined;
  group: PartGroup | undefined;
}

/**
 * How many rows of a snapshot have a value that a delete takes: each identity once.
 *
 * @param parts those of the snapshot, where there are many streams, in order of their numbers
 */
export async function countRows(
  open: OpenSnapshot,
  { selection, parameters: named }: RowDelete,
  streams: readonly RowsToCount[],
  pace: Pace,
  budget: PatternBudget,
  parts?: PinnedParts,
): Promise<number> {
  const { from, to, tagFilters } = selection;
  const wanted = compileTagFilters(tagFilters, budget);
  let count = 0;
  for (const { stream, parameters, hasEvents } of streams) {
    // Each row of a row group has a value; of which parameter, and with which tags, only reading it tells.
    const isPlain = wanted === undefined && named === undefined && !hasEvents;
    // A delete takes no events, so what has nothing else does not count.
    const walk = walkOf(open.snapshot, stream, from, to, false);
    if (walk === undefined) continue;
    const turn = pace();
    if (turn !== undefined) await turn;
    const all: Stretch = { from, to, rows: undefined, group: undefined };
    for (const stretch of isPlain ? await stretchesOf(open, walk, pace, parts) : [all]) {
      const known = stretch.rows ?? (stretch.group && countOfGroup(stretch.group));
      if (known !== undefined) {
        count += known instanceof Promise ? await known : known;
        continue;
      }
      const range = { ...stretch, stream, parameters, withEvents: false, wanted, descending: false, pace };
      for await (const { group } of readStream(open, range)) count += group.count;
    }
  }
  return count;
}

/** What holds rows of a stream, in order of time; what overlaps is one stretch, to be read. */
async function stretchesOf(
  open: OpenSnapshot,
  walk: Walk,
  pace: Pace,
  parts: PinnedParts | undefined,
): Promise<Stretch[]> {
  const { from, to } = walk;
  const found = headSections(walk).map(
    ({ first, last }): Stretch => ({
      from: first < from ? from : first,
      to: last > to ? to : last,
      rows: undefined,
      group: undefined,
    }),
  );
  if (parts !== undefined) found.push(...parts.groupsOn(walk).map(stretchOf));
  else for await (const groups of partGroups(open, walk, pace)) found.push(...groups.map(stretchOf));
  return joined(found);
}

function stretchOf(group: PartGroup): Stretch {
  const start = windowStart(group.window);
  return {
    from: start + BigInt(group.first),
    to: start + BigInt(group.last),
    rows: isWholeGroup(group) ? group.handle.rows : undefined,
    group: group.hidden.length === 0 ? group : undefined,
  };
}

function joined(stretches: Stretch[]): Stretch[] {
  if (stretches.length > 1) stretches.sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
  const apart: Stretch[] = [];
  for (const stretch of stretches) {
    const before = apart.at(-1);
    if (before === undefined || stretch.from > before.to) {
      apart.push(stretch);
      continue;
    }
    before.rows = undefined;
    before.group = undefined;
    if (stretch.to > before.to) before.to = stretch.to;
  }
  return apart;
}
