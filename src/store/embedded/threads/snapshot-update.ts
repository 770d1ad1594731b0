import type { RetainedTimes } from '../catalog/retention.ts';
import type { HeadView } from '../log/head.ts';
import type { Part } from '../parts/part-readers.ts';
import { inLsnOrder } from '../parts/part-set.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Tombstone } from '../tombstones/tombstone.ts';
import { withTombstone } from '../tombstones/tombstone-list.ts';

/**
 * A snapshot as it is sent to a thread: of parts and deletes only what changed since the last one, undefined where that is
 * nothing. The rest is shared memory, and small.
 */
export interface SnapshotUpdate {
  readonly parts: Change<Part> | undefined;
  readonly tombstones: Change<Tombstone> | undefined;
  readonly heads: readonly HeadView[];
  readonly kept: RetainedTimes | undefined;
}

/** How one list becomes the next. */
interface Change<Item> {
  /** Numbers of parts, LSNs of deletes. */
  readonly removed: ReadonlySet<number>;
  readonly added: readonly Item[];
}

/** Tells one thread of snapshots, in the order in which they are sent. */
export function snapshotTeller(): (snapshot: Snapshot) => SnapshotUpdate {
  let parts: readonly Part[] = [];
  let tombstones: readonly Tombstone[] = [];
  return (snapshot) => {
    const update = {
      parts: changeOf(parts, snapshot.parts, numberOf),
      tombstones: changeOf(tombstones, snapshot.tombstones, lsnOf),
      heads: snapshot.heads,
      kept: snapshot.kept,
    };
    parts = snapshot.parts;
    tombstones = snapshot.tombstones;
    return update;
  };
}

/** The other end: gives the snapshots that were sent. Their lists are replaced, never changed. */
export function snapshotKeeper(): (update: SnapshotUpdate) => Snapshot {
  let parts: readonly Part[] = [];
  let tombstones: readonly Tombstone[] = [];
  return ({ parts: ofParts, tombstones: ofTombstones, heads, kept }) => {
    if (ofParts !== undefined) parts = inLsnOrder([...staying(parts, ofParts, numberOf), ...ofParts.added]);
    if (ofTombstones !== undefined) {
      if (ofTombstones.removed.size > 0) tombstones = staying(tombstones, ofTombstones, lsnOf);
      // One by one: what was found of a stream goes on to be known.
      for (const tombstone of ofTombstones.added) tombstones = withTombstone(tombstones, tombstone);
    }
    return { parts, tombstones, heads, kept };
  };
}

function numberOf({ record }: Part): number {
  return record.number;
}

function lsnOf({ lsn }: Tombstone): number {
  return lsn;
}

function changeOf<Item>(
  before: readonly Item[],
  now: readonly Item[],
  keyOf: (item: Item) => number,
): Change<Item> | undefined {
  if (before === now) return undefined;
  const known = new Set(before.map(keyOf));
  const added = now.filter((item) => !known.delete(keyOf(item)));
  return { removed: known, added };
}

function staying<Item>(
  items: readonly Item[],
  { removed }: Change<Item>,
  keyOf: (item: Item) => number,
): Item[] {
  return items.filter((item) => !removed.has(keyOf(item)));
}
