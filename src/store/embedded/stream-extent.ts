import { type Extent, emptyExtent, extend } from './extent.ts';
import { sectionsOf } from './head.ts';
import { groupsOfView } from './head-rows.ts';
import { cleanLsnOf, type Mask, maskRows, masksStream, masksWithin, rowMasks } from './masks.ts';
import type { Pace } from './pace.ts';
import { windowSpan } from './part-format.ts';
import { dropEmptyRows } from './row-gather.ts';
import { rowsExtent, rowsParameters, viewRows } from './rows-section.ts';
import { readable, type Snapshot } from './snapshot.ts';
import type { RowGroup } from './sorted-rows.ts';
import { windowStart } from './windows.ts';

/**
 * What is left of a stream, by a union over all places that hold rows of it: nothing has to be merged. A row group
 * that no mask touches is known from the index; one that is touched is read only if it could tell something new.
 *
 * @param certain parameters that surely have values left
 * @param candidates all parameters that may have some
 */
export async function streamExtent(
  snapshot: Snapshot,
  stream: number,
  certain: readonly number[],
  candidates: readonly number[],
  pace: Pace,
): Promise<Extent> {
  const masks = snapshot.masks.filter((mask) => masksStream(mask, stream));
  const extent = emptyExtent();
  for (const parameter of certain) extent.parameters.add(parameter);
  extendByHeads(extent, snapshot, masks, stream);
  const touched: (() => Promise<void>)[] = [];
  const untouched: (() => Promise<void>)[] = [];
  const isComplete = () => candidates.every((parameter) => extent.parameters.has(parameter));
  for (const part of snapshot.parts) {
    await pace();
    const { window } = part.record;
    const start = windowStart(window);
    const hidden = rowMasks(masks, cleanLsnOf(part.record), stream, window);
    const { reader, handles } = await readable(part, async () => {
      const { reader } = await snapshot.partSet.open(part);
      return { reader, handles: await reader.groupsOf(stream, 0, windowSpan - 1) };
    });
    for (const handle of handles) {
      const first = start + BigInt(handle.minOffset);
      const last = start + BigInt(handle.maxOffset);
      const masksOn = masksWithin(hidden, handle.minOffset, handle.maxOffset);
      if (masksOn.length === 0) {
        extend(extent, first, last, []);
        untouched.push(async () => {
          if (isComplete()) return;
          for (const parameter of await readable(part, () => reader.readParameters(handle)))
            extent.parameters.add(parameter);
        });
        continue;
      }
      touched.push(async () => {
        if (!extent.isEmpty && first >= extent.first && last <= extent.last && isComplete()) return;
        const rows = maskRows(await readable(part, () => reader.readGroup(handle)), masksOn);
        extendByRows(extent, window, dropEmptyRows(rows));
      });
    }
  }
  for (const read of [...untouched, ...touched]) {
    await pace();
    await read();
  }
  return extent;
}

function extendByHeads(extent: Extent, snapshot: Snapshot, masks: readonly Mask[], stream: number): void {
  for (const view of snapshot.heads) {
    for (const { at, lsn } of sectionsOf(view, stream)) {
      const { slab } = view.head;
      const { first, last } = rowsExtent(slab, at);
      if (!masks.some((mask) => mask.lsn > lsn && mask.from <= last && mask.to >= first)) {
        extend(extent, first, last, rowsParameters(slab, at));
        continue;
      }
      for (const { window, group } of groupsOfView(viewRows(slab, at))) {
        extendByRows(extent, window, dropEmptyRows(maskRows(group, rowMasks(masks, lsn, stream, window))));
      }
    }
  }
}

/** Every row of the group has a value; rows may stand in any order. */
function extendByRows(extent: Extent, window: number, { count, offsets, columns }: RowGroup): void {
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
