import type { CatalogState } from '../catalog/catalog-state.ts';
import { keptFromNow } from '../catalog/retention.ts';
import type { HeadSlab } from '../log/head.ts';
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
    const snapshot = {
      parts: parts.all,
      heads: heads().map((head) => ({ head, sections: head.sections.length })),
      tombstones: state.tombstones.all,
      keptFrom: keptFromNow(state),
      partSet: parts,
    };
    parts.pin(snapshot.parts);
    for (const { head } of snapshot.heads) head.pins++;
    return {
      snapshot,
      release() {
        parts.unpin(snapshot.parts);
        for (const { head } of snapshot.heads) head.pins--;
      },
    };
  };
}
