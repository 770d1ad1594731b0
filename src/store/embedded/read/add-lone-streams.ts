import type { Aggregator } from '../../../query/aggregator.ts';
import { groupAt } from '../parts/part-index.ts';
import { viewGroup } from '../parts/view-group.ts';
import type { GroupStep } from './aggregate-steps.ts';
import type { LoneRead } from './lone-read.ts';
import { type Batch, fileOfBatch, smallGroups } from './small-groups.ts';
import { SmallRows } from './small-rows.ts';
import { type LoneRange, partsOfWindows, streamsNotAlone } from './walk-lone.ts';
import { groupOfRange } from './walk-ranges.ts';

/**
 * Adds the streams that have nothing but small row groups, each alone in its window. It goes through parts from their begins to
 * their ends and makes nothing for a stream; for the others a stream is the unit, with all that it has anywhere.
 *
 * @param feed gives a group to the aggregator that has to be taken apart first
 * @returns the places that are left, by number
 */
export async function addLoneStreams(
  { bound, order, snapshot, parts, range, pace, countRows }: LoneRead,
  aggregator: Pick<Aggregator, 'openStream' | 'addStored'>,
  feed: (step: GroupStep) => Promise<void> | undefined,
): Promise<Uint32Array> {
  const streams = order.map((place) => bound.streams[place]!);
  const found = partsOfWindows(parts, range);
  const isOther = await streamsNotAlone(snapshot, found, streams, range, pace);
  const rows = new SmallRows(bound.parameters);
  for (const part of found) {
    for await (const batch of smallGroups(part, streams, range.parameters, isOther, pace)) {
      rows.begin(batch);
      for (let item = 0; item < batch.count; item++) {
        const place = order[batch.places[item]!]!;
        aggregator.openStream({ streamId: bound.ids[place]!, topic: bound.topics[place]! });
        if (rows.open(item)) {
          aggregator.addStored(rows);
          countRows(rows.count);
        } else await feed(stepOf(batch, item, range));
        const turn = item % groupsOfTurn === 0 ? pace() : undefined;
        if (turn !== undefined) await turn;
      }
    }
  }
  return order.filter((_, i) => isOther[i] !== 0);
}

/** Groups between two calls of the pace. */
const groupsOfTurn = 32;

/** A group of a batch, as groups are elsewhere. */
function stepOf(batch: Batch, item: number, { parameters }: LoneRange): GroupStep {
  const { indexed, window, inside } = batch.part;
  const { index } = indexed.kept;
  const [run, place] = [batch.runs[item]!, batch.groups[item]!];
  const { part, reader } = indexed;
  const group = groupOfRange({ rank: 0, part, reader, index, run, window, inside }, place);
  const encoded = viewGroup(fileOfBatch(batch), groupAt(index, run, place), parameters);
  return { kind: 'group', group, hidden: [], encoded };
}
