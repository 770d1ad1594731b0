import type { Aggregator } from '../../../query/aggregator.ts';
import type { LoneRead } from './lone-read.ts';
import { meetingsOf } from './small-groups.ts';
import { summedColumnsOf } from './summed-columns.ts';
import { SummedRows } from './summed-rows.ts';
import { partsOfWindows } from './walk-lone.ts';
import { groupsInside, Mark, markStreams } from './walk-summed.ts';

/** Places of streams, by number, that are left. */
export interface LeftStreams {
  /** Of which nothing was added. */
  readonly others: Uint32Array;
  /** Of which only the rows in memory are left. */
  readonly inMemory: Uint32Array;
}

/**
 * Adds the sums of streams whose row groups overlap nothing, from columns that are kept in the form for it (summed-column.ts).
 * It goes through parts from their begins to their ends and makes nothing for a stream.
 *
 * @param aggregator wants nothing but sums, counts and extremes, and no tags
 */
export async function addSummedStreams(
  { bound, order, snapshot, parts, range, pace, countRows }: LoneRead,
  aggregator: Pick<Aggregator, 'openStream' | 'addStored'>,
): Promise<LeftStreams> {
  const streams = order.map((place) => bound.streams[place]!);
  const found = partsOfWindows(parts, range);
  const columns = await summedColumnsOf(found, bound.parameters, streams.length, pace);
  if (columns === undefined || found.length === 0) return { others: order, inMemory: noPlaces };
  const marks = await markStreams({ snapshot, range, pace }, streams, found, columns);
  const rows = new SummedRows(bound.parameters.length);
  let added = 0;
  for (const [i, part] of found.entries()) {
    rows.begin(part, columns[i]!);
    const { runs, groups } = part.indexed.kept.index;
    const next = meetingsOf(part, streams, range.parameters);
    for (let meeting = next(); meeting !== undefined; meeting = next()) {
      if (marks[meeting.place] === Mark.Other) continue;
      const place = order[meeting.place]!;
      aggregator.openStream({ streamId: bound.ids[place]!, topic: bound.topics[place]! });
      const { from, to } = groupsInside(part, meeting.run);
      for (let group = from; group < to; group++) {
        rows.open(runs.sets[meeting.run]!, group);
        aggregator.addStored(rows);
        countRows(groups.rows[group]!);
        const turn = ++added % groupsOfTurn === 0 ? pace() : undefined;
        if (turn !== undefined) await turn;
      }
    }
  }
  return {
    others: order.filter((_, i) => marks[i] === Mark.Other),
    inMemory: order.filter((_, i) => marks[i] === Mark.InMemory),
  };
}

const noPlaces = new Uint32Array(0);
/** Groups between two calls of the pace. */
const groupsOfTurn = 32;
