import { paceReads } from '../../../query/bounds/pace.ts';
import { neverAborted } from '../../../turns/pace.ts';
import { inNextTurn } from '../../../turns/rest.ts';
import { atPace, type Steps } from '../../../turns/steps.ts';
import type { Applier, Show } from '../log/group-commit.ts';
import { placeSection, showSections } from '../log/head.ts';
import type { Heads } from '../log/heads.ts';
import type { RecordPlace } from '../log/log-record.ts';
import type { Slab } from '../log/slab.ts';
import { applyRecord, prepareRecord } from './apply-record.ts';
import { forgetRemoved } from './catalog-changes.ts';
import type { CatalogState } from './catalog-state.ts';

export interface RecordApplierOptions {
  readonly state: CatalogState;
  readonly heads: Pick<Heads, 'of'>;
  /** A record was applied that may have taken rows away. */
  readonly onRemoval: () => void;
}

/** Applies records to the catalogue and the head. */
export class RecordApplier implements Applier {
  readonly #state;
  readonly #heads;
  readonly #onRemoval;
  #isForgetting = false;

  constructor({ state, heads, onRemoval }: RecordApplierOptions) {
    this.#state = state;
    this.#heads = heads;
    this.#onRemoval = onRemoval;
  }

  prepare(slab: Slab, place: RecordPlace): Steps<Show> {
    const head = this.#heads.of(slab);
    return prepareRecord(this.#state, slab, place, (_slab, at) => placeSection(head, at, place.lsn));
  }

  apply(slab: Slab, place: RecordPlace, show: Show | undefined): void {
    const { tombstones, removals } = this.#state;
    const removed = removals.count;
    const known = tombstones.all;
    const head = this.#heads.of(slab);
    if (show !== undefined) show();
    else applyRecord(this.#state, slab, place, (_slab, at) => placeSection(head, at, place.lsn));
    showSections(head);
    this.#forget();
    if (removals.count !== removed || tombstones.all !== known) this.#onRemoval();
  }

  /** Lets go of removed streams in later turns. */
  #forget(): void {
    if (this.#isForgetting || this.#state.removed.length === 0) return;
    this.#isForgetting = true;
    inNextTurn(async () => {
      await atPace(forgetRemoved(this.#state), paceReads(neverAborted));
      this.#isForgetting = false;
    });
  }
}
