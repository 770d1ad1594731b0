import { tagValue } from '../../../domain/tags.ts';
import { PitwallError } from '../../../errors.ts';
import { type Pace, paceQuery } from '../../../query/pace.ts';
import type { Selection } from '../../../query/plan.ts';
import { compileTagFilters } from '../../../query/tag-predicate.ts';
import type { CatalogState } from '../catalog/catalog-state.ts';
import { streamsToRead } from '../catalog/select-streams.ts';
import { groupsOfView, sectionsOf } from '../log/head.ts';
import { rowsExtent, viewRows } from '../log/rows-section.ts';
import { cleanLsnOf } from '../parts/part-record.ts';
import { dropEmptyRows } from '../rows/gather-rows.ts';
import type { RowGroup } from '../rows/row-group.ts';
import { rangeInWindow } from '../rows/windows.ts';
import { hideRows, tombstonesBetween, tombstonesOf, windowTombstones } from '../tombstones/tombstone.ts';
import { readable, type Snapshot } from './snapshot.ts';

/** Distinct values together take this at most; a tag with a new value on every row would take any memory. */
const mostBytes = 32 << 20;
/** What a value costs besides its text. */
const valueOverheadBytes = 64;

/** The values of a tag, collected. Nothing has to be merged for that, and of most rows only the tags are read. */
interface Found {
  add(group: Pick<RowGroup, 'tagSets' | 'tagIndex' | 'offsets'>, first: number, last: number): void;
  readonly values: ReadonlySet<string>;
}

/** The distinct values of a tag on the selected rows, events included, in order of text. */
export async function tagValues(
  state: CatalogState,
  snapshot: Snapshot,
  selection: Selection,
  tag: string,
  signal: AbortSignal,
  mostMs: number,
): Promise<string[]> {
  const found = collectValues(selection, tag);
  const { pace } = paceQuery(signal, mostMs);
  for (const stream of streamsToRead(state, selection.workspace, selection.streamIds, selection.topic)) {
    const kept = snapshot.keptFrom(stream);
    const from = kept !== undefined && kept > selection.from ? kept : selection.from;
    await pace();
    await addHeads(found, snapshot, stream, from, selection.to, pace);
    await addParts(found, snapshot, stream, from, selection.to, pace);
  }
  return [...found.values].sort();
}

function collectValues({ tagFilters }: Selection, tag: string): Found {
  const values = new Set<string>();
  const wanted = compileTagFilters(tagFilters);
  let bytes = 0;
  return {
    values,
    add({ tagSets, tagIndex, offsets }, first, last) {
      const used = usedSets(tagSets.length, tagIndex, offsets, first, last);
      tagSets.forEach((set, i) => {
        const value = tagValue(set, tag);
        if (value === undefined || values.has(value) || wanted?.(set) === false) return;
        if (used[i] !== 1) return;
        values.add(value);
        bytes += 2 * value.length + valueOverheadBytes;
        if (bytes > mostBytes) throw tooMany(tag);
      });
    },
  };
}

function usedSets(
  sets: number,
  tagIndex: Uint32Array | undefined,
  offsets: Float64Array,
  first: number,
  last: number,
): Uint8Array {
  const used = new Uint8Array(sets);
  for (let row = 0; row < offsets.length; row++) {
    if (offsets[row]! >= first && offsets[row]! <= last) used[tagIndex?.[row] ?? 0] = 1;
  }
  return used;
}

function tooMany(tag: string): PitwallError {
  return new PitwallError('query_too_large', {
    detail: `the tag '${tag}' has too many values there; ask for fewer streams or a shorter time`,
  });
}

async function addHeads(
  found: Found,
  { heads, tombstones }: Snapshot,
  stream: number,
  from: bigint,
  to: bigint,
  pace: Pace,
): Promise<void> {
  const own = tombstonesOf(tombstones, stream);
  for (const view of heads) {
    for (const { at, lsn } of sectionsOf(view, stream)) {
      const extent = rowsExtent(view.head.slab, at);
      if (extent.last < from || extent.first > to) continue;
      await pace();
      for (const { window, group } of groupsOfView(viewRows(view.head.slab, at))) {
        const inside = rangeInWindow(window, from, to);
        if (inside === undefined) continue;
        const rows = dropEmptyRows(hideRows(group, windowTombstones(own, lsn, stream, window)));
        found.add(rows, inside.first, inside.last);
      }
    }
  }
}

async function addParts(
  found: Found,
  { parts, tombstones, partSet }: Snapshot,
  stream: number,
  from: bigint,
  to: bigint,
  pace: Pace,
): Promise<void> {
  for (const part of parts) {
    const { window, minOffset, maxOffset } = part.record;
    const inside = rangeInWindow(window, from, to);
    if (inside === undefined || maxOffset < inside.first || minOffset > inside.last) continue;
    await pace();
    const { reader, handles } = await readable(part, async () => {
      const { reader } = await partSet.open(part);
      return { reader, handles: await reader.groupsOf(stream, inside.first, inside.last) };
    });
    const hidden = windowTombstones(tombstones, cleanLsnOf(part.record), stream, window);
    for (const handle of handles) {
      await pace();
      const reaching = tombstonesBetween(hidden, handle.minOffset, handle.maxOffset);
      // Where nothing is hidden a row is there whatever its values are.
      const columns = reaching.length === 0 ? [] : undefined;
      const rows = await readable(part, () => reader.readGroup(handle, columns));
      found.add(
        reaching.length === 0 ? rows : dropEmptyRows(hideRows(rows, reaching)),
        inside.first,
        inside.last,
      );
    }
  }
}
