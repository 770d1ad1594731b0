import type { Pace } from '../../../query/pace.ts';
import type { PatternBudget } from '../../../query/pattern-budget.ts';
import { compileTagFilters } from '../../../query/tag-predicate.ts';
import type { OpenSnapshot } from '../read/snapshot.ts';
import { readStream } from '../read/stream-rows.ts';
import { type Walk, walkOf } from '../read/walk.ts';
import { headSections } from '../read/walk-head.ts';
import { isWholeGroup, partGroups } from '../read/walk-parts.ts';
import { windowStart } from '../rows/windows.ts';
import type { RowDelete, RowsToCount } from './row-delete.ts';

/** Rows of one place between two times (ns, both inclusive); `rows` where that is known without reading them. */
interface Stretch {
  readonly from: bigint;
  to: bigint;
  rows: number | undefined;
}

/** How many rows of a snapshot have a value that a delete takes: each identity once. */
export async function countRows(
  open: OpenSnapshot,
  { selection, parameters: named }: RowDelete,
  streams: readonly RowsToCount[],
  pace: Pace,
  budget: PatternBudget,
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
    const all: Stretch = { from, to, rows: undefined };
    for (const stretch of isPlain ? await stretchesOf(open, walk, pace) : [all]) {
      if (stretch.rows !== undefined) {
        count += stretch.rows;
        continue;
      }
      const range = { ...stretch, stream, parameters, withEvents: false, wanted, descending: false, pace };
      for await (const { group } of readStream(open, range)) count += group.count;
    }
  }
  return count;
}

/** What holds rows of a stream, in order of time; what overlaps is one stretch, to be read. */
async function stretchesOf(open: OpenSnapshot, walk: Walk, pace: Pace): Promise<Stretch[]> {
  const { from, to } = walk;
  const found = headSections(walk).map(
    ({ first, last }): Stretch => ({
      from: first < from ? from : first,
      to: last > to ? to : last,
      rows: undefined,
    }),
  );
  for await (const groups of partGroups(open, walk, pace)) {
    for (const group of groups) {
      const start = windowStart(group.window);
      found.push({
        from: start + BigInt(group.first),
        to: start + BigInt(group.last),
        rows: isWholeGroup(group) ? group.handle.rows : undefined,
      });
    }
  }
  return joined(found);
}

function joined(stretches: Stretch[]): Stretch[] {
  stretches.sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
  const apart: Stretch[] = [];
  for (const stretch of stretches) {
    const before = apart.at(-1);
    if (before === undefined || stretch.from > before.to) {
      apart.push(stretch);
      continue;
    }
    before.rows = undefined;
    if (stretch.to > before.to) before.to = stretch.to;
  }
  return apart;
}
