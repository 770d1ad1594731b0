import type { Pace } from '../../../query/pace.ts';
import { compileTagFilters } from '../../../query/tag-predicate.ts';
import { sectionsOf } from '../log/head.ts';
import { rowsExtent } from '../log/rows-section.ts';
import { cleanLsnOf } from '../parts/part-record.ts';
import { partsByWindow, readable, readStream, type Snapshot } from '../read/snapshot.ts';
import { offsetInWindow, rangeInWindow, windowStart } from '../rows/windows.ts';
import { tombstonesBetween, windowTombstones } from '../tombstones/tombstone.ts';
import type { RowDelete, RowsToCount } from './row-delete.ts';

/** Rows of one place between two times (ns, both inclusive); `rows` where that is known without reading them. */
interface Stretch {
  readonly from: bigint;
  to: bigint;
  rows: number | undefined;
}

/** How many rows of a snapshot have a value that a delete takes: each identity once. */
export async function countRows(
  snapshot: Snapshot,
  { selection, parameters: named }: RowDelete,
  streams: readonly RowsToCount[],
  pace: Pace,
): Promise<number> {
  const { from, to, tagFilters } = selection;
  const wanted = compileTagFilters(tagFilters);
  let count = 0;
  for (const { stream, parameters, hasEvents } of streams) {
    // Each row of a row group has a value; of which parameter, and with which tags, only reading it tells.
    const isPlain = wanted === undefined && named === undefined && !hasEvents;
    const whole: Stretch = { from, to, rows: undefined };
    for (const stretch of isPlain ? await stretchesOf(snapshot, stream, from, to, pace) : [whole]) {
      if (stretch.rows !== undefined) {
        count += stretch.rows;
        continue;
      }
      const range = { ...stretch, stream, parameters, wanted, descending: false, pace };
      for await (const { group } of readStream(snapshot, range)) count += group.count;
    }
  }
  return count;
}

/** What holds rows of a stream, in order of time; what overlaps is one stretch, to be read. */
async function stretchesOf(
  snapshot: Snapshot,
  stream: number,
  from: bigint,
  to: bigint,
  pace: Pace,
): Promise<Stretch[]> {
  const found = [...headStretches(snapshot, stream, from, to)];
  const { tombstones, partSet } = snapshot;
  const kept = snapshot.keptFrom(stream);
  for (const [window, parts] of partsByWindow(snapshot.parts, { from, to })) {
    const start = windowStart(window);
    const inside = rangeInWindow(window, from, to)!;
    const first = Math.max(inside.first, offsetInWindow(kept, start));
    for (const part of parts) {
      await pace();
      const handles = await readable(part, async () => {
        const { reader } = await partSet.open(part);
        return reader.groupsOf(stream, first, inside.last);
      });
      const hidden = windowTombstones(tombstones, cleanLsnOf(part.record), stream, window);
      for (const { minOffset, maxOffset, rows } of handles) {
        const isWhole = minOffset >= first && maxOffset <= inside.last;
        found.push({
          from: start + BigInt(Math.max(minOffset, first)),
          to: start + BigInt(Math.min(maxOffset, inside.last)),
          rows: isWhole && tombstonesBetween(hidden, minOffset, maxOffset).length === 0 ? rows : undefined,
        });
      }
    }
  }
  return joined(found);
}

function* headStretches({ heads }: Snapshot, stream: number, from: bigint, to: bigint): Generator<Stretch> {
  for (const view of heads) {
    for (const { at } of sectionsOf(view, stream)) {
      const { first, last } = rowsExtent(view.head.slab, at);
      if (last < from || first > to) continue;
      yield { from: first < from ? from : first, to: last > to ? to : last, rows: undefined };
    }
  }
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
