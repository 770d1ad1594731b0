import type { CommitLog, Encode } from '../log/commit-log.ts';
import type { Apply } from '../log/group-commit.ts';
import { addSection } from '../log/head.ts';
import type { Heads } from '../log/heads.ts';
import type { RecordPlace } from '../log/log-record.ts';
import { type SectionDraft, sectionsBytes, writeSections } from '../log/sections.ts';
import { applyRecord } from './apply-record.ts';
import type { CatalogState } from './catalog-state.ts';

/**
 * Resolves when a record of these sections is durable and applied; `before` runs just before it is applied. Rejects as
 * `CommitLog.append` does.
 */
export type Commit = (
  drafts: readonly SectionDraft[],
  before?: (place: RecordPlace) => void,
) => Promise<void>;

export interface RecordCommitterOptions {
  readonly commitLog: Pick<CommitLog, 'append'>;
  readonly state: CatalogState;
  readonly heads: Pick<Heads, 'of'>;
  /** A record was applied that may have taken rows away. */
  readonly onRemoval: () => void;
}

/** Commits records to the log, and applies them to the catalogue and the head. */
export function recordCommitter({ commitLog, state, heads, onRemoval }: RecordCommitterOptions): Commit {
  const apply: Apply = (slab, place) => {
    const head = heads.of(slab);
    const { tombstones } = state;
    const removals = state.removals.count;
    const known = tombstones.all;
    applyRecord(state, slab, place, (_slab, at) => addSection(head, at, place.lsn));
    if (state.removals.count !== removals || tombstones.all !== known) onRemoval();
  };
  return (drafts, before) =>
    commitLog.append(sectionsBytes(drafts), encoderOf(drafts), before ? applyAfter(before, apply) : apply);
}

// Functions of their own: what is applied later must not hold the drafts, which hold the rows.

function encoderOf(drafts: readonly SectionDraft[]): Encode {
  return (slab, at) => writeSections(slab, at, drafts);
}

function applyAfter(before: (place: RecordPlace) => void, apply: Apply): Apply {
  return (slab, place) => {
    before(place);
    apply(slab, place);
  };
}
