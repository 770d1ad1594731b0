import type { CatalogState } from '../catalog/catalog-state.ts';
import { keptTimes } from '../catalog/retention.ts';
import { type HeadSlab, headView } from '../log/head.ts';
import type { LeftSlabs } from '../log/left-slabs.ts';
import type { PartSet } from '../parts/part-set.ts';
import type { PinnedSnapshot } from './snapshot.ts';

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
      kept: keptTimes(state),
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
