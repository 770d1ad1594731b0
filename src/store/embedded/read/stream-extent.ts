import { minTimestamp } from '../../../domain/timestamp.ts';
import type { Pace } from '../../../query/pace.ts';
import { emptyExtent, extend, type StreamExtent } from '../catalog/stream-extent.ts';
import { groupsOfView, sectionsOf } from '../log/head.ts';
import { rowsExtent, rowsParameters, viewRows } from '../log/rows-section.ts';
import { cleanLsnOf } from '../parts/part-record.ts';
import { dropEmptyRows, takeRows } from '../rows/gather-rows.ts';
import type { RowGroup } from '../rows/row-group.ts';
import { offsetInWindow, windowSpan, windowStart } from '../rows/windows.ts';
import {
  hideRows,
  type Tombstone,
  tombstonesBetween,
  tombstonesOf,
  windowTombstones,
} from '../tombstones/tombstone.ts';
import { readable, type Snapshot } from './snapshot.ts';

export interface ExtentQuestion {
  readonly stream: number;
  /** Parameters that surely have values left, and all that may have some. */
  readonly certain: readonly number[];
  readonly candidates: readonly number[];
  /** After so many row groups were read for their parameters, those not found yet count as there. */
  readonly mostReads: number;
}

/**
 * What is left of a stream, by a union over all places that hold rows of it: nothing has to be merged. A row group
 * that no tombstone touches is known from the index; one that is touched is read only if it could tell something new.
 */
export async function streamExtent(
  snapshot: Snapshot,
  { stream, certain, candidates, mostReads }: ExtentQuestion,
  pace: Pace,
): Promise<StreamExtent> {
  const tombstones = tombstonesOf(snapshot.tombstones, stream);
  const kept = snapshot.keptFrom(stream);
  const extent = emptyExtent();
  for (const parameter of certain) extent.parameters.add(parameter);
  extendByHeads(extent, snapshot, tombstones, stream);
  const touched: (() => Promise<void>)[] = [];
  const untouched: (() => Promise<void>)[] = [];
  const isComplete = () => candidates.every((parameter) => extent.parameters.has(parameter));
  for (const part of snapshot.parts) {
    await pace();
    const { window } = part.record;
    const start = windowStart(window);
    const hidden = windowTombstones(tombstones, cleanLsnOf(part.record), stream, window);
    const { reader, handles } = await readable(part, async () => {
      const { reader } = await snapshot.partSet.open(part);
      return { reader, handles: await reader.groupsOf(stream, 0, windowSpan - 1) };
    });
    const keptOffset = offsetInWindow(kept, start);
    for (const handle of handles) {
      if (handle.maxOffset < keptOffset) continue;
      const first = start + BigInt(handle.minOffset);
      const last = start + BigInt(handle.maxOffset);
      const reaching = tombstonesBetween(hidden, handle.minOffset, handle.maxOffset);
      if (reaching.length === 0 && handle.minOffset >= keptOffset) {
        extend(extent, first, last, []);
        untouched.push(async () => {
          for (const parameter of await readable(part, () => reader.readParameters(handle)))
            extent.parameters.add(parameter);
        });
        continue;
      }
      touched.push(async () => {
        if (!extent.isEmpty && first >= extent.first && last <= extent.last && isComplete()) return;
        const rows = await readable(part, () => reader.readGroup(handle));
        extendByRows(extent, window, dropEmptyRows(hideRows(rowsFrom(rows, keptOffset), reaching)));
      });
    }
  }
  for (const read of untouched.slice(0, mostReads)) {
    if (isComplete()) break;
    await pace();
    await read();
  }
  if (untouched.length > mostReads) for (const parameter of candidates) extent.parameters.add(parameter);
  for (const read of touched) {
    await pace();
    await read();
  }
  return extent;
}

function extendByHeads(
  extent: StreamExtent,
  snapshot: Snapshot,
  tombstones: readonly Tombstone[],
  stream: number,
): void {
  const kept = snapshot.keptFrom(stream) ?? minTimestamp;
  for (const view of snapshot.heads) {
    for (const { at, lsn } of sectionsOf(view, stream)) {
      const { slab } = view.head;
      const { first, last } = rowsExtent(slab, at);
      if (last < kept) continue;
      if (
        first >= kept &&
        !tombstones.some(
          (tombstone) => tombstone.lsn > lsn && tombstone.from <= last && tombstone.to >= first,
        )
      ) {
        extend(extent, first, last, rowsParameters(slab, at));
        continue;
      }
      for (const { window, group } of groupsOfView(viewRows(slab, at))) {
        const seen = rowsFrom(group, offsetInWindow(kept, windowStart(window)));
        extendByRows(
          extent,
          window,
          dropEmptyRows(hideRows(seen, windowTombstones(tombstones, lsn, stream, window))),
        );
      }
    }
  }
}

/** The rows from an offset on; they may stand in any order. */
function rowsFrom(group: RowGroup, offset: number): RowGroup {
  if (group.offsets.every((other) => other >= offset)) return group;
  const keep: number[] = [];
  for (let row = 0; row < group.count; row++) if (group.offsets[row]! >= offset) keep.push(row);
  return takeRows(group, Uint32Array.from(keep));
}

/** Every row of the group has a value; rows may stand in any order. */
function extendByRows(extent: StreamExtent, window: number, { count, offsets, columns }: RowGroup): void {
  if (count === 0) return;
  let least = offsets[0]!;
  let most = offsets[0]!;
  for (let row = 1; row < count; row++) {
    least = Math.min(least, offsets[row]!);
    most = Math.max(most, offsets[row]!);
  }
  const start = windowStart(window);
  const parameters = columns.map(({ parameter }) => parameter);
  extend(extent, start + BigInt(least), start + BigInt(most), parameters);
}
