import type { CatalogState } from '../catalog/catalog-state.ts';
import { keptTimes } from '../catalog/retention.ts';
import { type HeadSlab, headView } from '../log/head.ts';
import type { PartSet } from '../parts/part-set.ts';
import type { PinnedSnapshot } from './snapshot.ts';

export interface SnapshotSource {
  readonly state: CatalogState;
  readonly parts: PartSet;
  readonly heads: () => readonly HeadSlab[];
}

/** What a read works on, held until it is released. */
export function snapshotTaker({ state, parts, heads }: SnapshotSource): () => PinnedSnapshot {
  return () => {
    const slabs = heads();
    const snapshot = {
      parts: parts.all,
      heads: slabs.map(headView),
      tombstones: state.tombstones.all,
      kept: keptTimes(state),
    };
    const letGo = parts.hold();
    for (const head of slabs) head.pins++;
    return {
      snapshot,
      readers: parts.readers,
      release() {
        letGo();
        for (const head of slabs) head.pins--;
      },
    };
  };
}
