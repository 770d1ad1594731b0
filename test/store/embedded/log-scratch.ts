import { applyRecord, prepareRecord } from '../../../src/store/embedded/catalog/apply-record.ts';
import { draftSteps } from '../../../src/store/embedded/catalog/batch-draft.ts';
import type { CatalogState } from '../../../src/store/embedded/catalog/catalog-state.ts';
import {
  draftStreamsChange,
  type StreamsDraft,
  selectToChange,
} from '../../../src/store/embedded/catalog/streams-change.ts';
import type { Show } from '../../../src/store/embedded/log/group-commit.ts';
import { type RecordPlace, recordHeaderBytes } from '../../../src/store/embedded/log/log-record.ts';
import { type SectionDraft, sectionsBytes, writeSections } from '../../../src/store/embedded/log/sections.ts';
import { makeSlab, type Slab } from '../../../src/store/embedded/log/slab.ts';
import type { Batch, Change, StreamsChange } from '../../../src/store/store.ts';
import { type Steps, whole } from '../../../src/turns/steps.ts';

/** A record as the log would hold it, to be applied as often as one likes. */
export interface ScratchRecord {
  applyTo(state: CatalogState): void;
  /** The same as a long record. */
  prepareFor(state: CatalogState): Steps<Show>;
}

/** Drafts a batch against a state, without applying it. */
export function scratchRecord(state: CatalogState, batch: Batch, now: number): ScratchRecord {
  return recordOf(whole(draftSteps(state, batch, now)), now);
}

function recordOf(drafts: readonly SectionDraft[], now: number): ScratchRecord {
  const length = sectionsBytes(drafts);
  const slab: Slab = makeSlab(1, new SharedArrayBuffer(recordHeaderBytes + length));
  writeSections(slab, recordHeaderBytes, drafts);
  const place: RecordPlace = { at: 0, length, lsn: 1, arrival: now };
  const nowhere = () => undefined;
  return {
    applyTo: (target) => applyRecord(target, slab, place, nowhere),
    prepareFor: (target) => prepareRecord(target, slab, place, nowhere),
  };
}

/** What an append does to the catalogue; the record can be replayed. */
export function commit(
  state: CatalogState,
  now: number,
  changes: readonly Change[],
  workspace = 'default',
): ScratchRecord {
  const record = scratchRecord(state, { workspace, changes }, now);
  record.applyTo(state);
  return record;
}

/** A delete or a restore of streams before it is a record. */
export function draftedChange(state: CatalogState, change: StreamsChange): StreamsDraft {
  return draftStreamsChange(state, change, whole(selectToChange(state, change, 1e9)));
}

/** The same of a delete or a restore of streams. */
export function commitStreamsChange(state: CatalogState, change: StreamsChange): ScratchRecord {
  const record = recordOf(draftedChange(state, change).sections, change.now);
  record.applyTo(state);
  return record;
}
