import type { CatalogState } from '../catalog/catalog-state.ts';
import { type RetainedTimes, retainedTimes } from '../catalog/retention.ts';
import { type HeadSlab, type HeadView, headView } from '../log/head.ts';
import type { LeftSlabs } from '../log/left-slabs.ts';
import type { Part, PartReaders } from '../parts/part-readers.ts';
import type { PartSet } from '../parts/part-set.ts';
import type { Tombstone } from '../tombstones/tombstone.ts';

/**
 * The store at one moment, for a read from its first block to its last. It is plain data (numbers, arrays, shared memory
 * and names of files), so that it can be sent to a thread. What reads from it goes by the walk (walk.ts), which
 * leaves out what is deleted or expired.
 */
export interface Snapshot {
  /** In order of LSN. */
  readonly parts: readonly Part[];
  /** Views of slabs with rows that are in no part, the oldest first. */
  readonly heads: readonly HeadView[];
  /** Deletes of rows, by LSN. */
  readonly tombstones: readonly Tombstone[];
  /** Undefined where no rows ever expire. */
  readonly kept: RetainedTimes | undefined;
}

/** A snapshot, and what the thread that reads it has open of its parts. */
export interface OpenSnapshot {
  readonly snapshot: Snapshot;
  readonly readers: PartReaders;
}

/** Its parts and slabs stay until it is released. */
export interface PinnedSnapshot extends OpenSnapshot {
  readonly slabs: readonly HeadSlab[];
  /** Does nothing the second time. */
  release(): void;
}

export interface SnapshotSource {
  readonly state: CatalogState;
  readonly parts: PartSet;
  readonly heads: () => readonly HeadSlab[];
  readonly left: Pick<LeftSlabs, 'pin' | 'unpin'>;
}

/** What a read works on, held until it is released. */
export function snapshotTaker({ state, parts, heads, left }: SnapshotSource): () => PinnedSnapshot {
  return () => {
    const slabs = heads();
    const snapshot = {
      parts: parts.all,
      heads: slabs.map(headView),
      tombstones: state.tombstones.all,
      kept: retainedTimes(state),
    };
    const letGo = parts.hold();
    left.pin(slabs);
    let isHeld = true;
    return {
      snapshot,
      readers: parts.readers,
      slabs,
      release() {
        if (!isHeld) return;
        isHeld = false;
        letGo();
        left.unpin(slabs);
      },
    };
  };
}
