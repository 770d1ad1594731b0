import { paceReads } from '../../../query/bounds/pace.ts';
import { neverAborted } from '../../../turns/pace.ts';
import { inNextTurn } from '../../../turns/rest.ts';
import { atPace } from '../../../turns/steps.ts';
import type { CommitLog, Encode, EncodeSteps } from '../log/commit-log.ts';
import type { Apply, Prepare } from '../log/group-commit.ts';
import { placeSection, showSections } from '../log/head.ts';
import type { Heads } from '../log/heads.ts';
import type { RecordPlace } from '../log/log-record.ts';
import { longBodyBytes } from '../log/long-body.ts';
import {
  type SectionDraft,
  SectionType,
  sectionsBytes,
  sectionsSteps,
  writeSections,
} from '../log/sections.ts';
import { applyRecord, type PreparedRecord, preparedRecord } from './apply-record.ts';
import { forgetRemoved } from './catalog-changes.ts';
import type { CatalogState } from './catalog-state.ts';

/**
 * Resolves when a record of these sections is durable and applied; `before` runs just before it is applied. Rejects as
 * `CommitLog.append` does. The sections are written at once, or, where `onCopied` is given, by the time that it is called.
 */
export type Commit = (
  drafts: readonly SectionDraft[],
  before?: (place: RecordPlace) => void,
  onCopied?: () => void,
) => Promise<void>;

export interface RecordCommitterOptions {
  readonly commitLog: Pick<CommitLog, 'append'>;
  readonly state: CatalogState;
  readonly heads: Pick<Heads, 'of'>;
  /** A record was applied that may have taken rows away. */
  readonly onRemoval: () => void;
  /** From here on a record is written in slices, where it may be; `longBodyBytes` by default. */
  readonly longBytes: number | undefined;
}

/** What a full disk takes too: what lets go of rows or streams, and of tokens. */
const isFreeing: ReadonlySet<SectionType> = new Set([
  SectionType.DeleteStreams,
  SectionType.RowDelete,
  SectionType.TopicSettings,
  SectionType.Workspace,
  SectionType.RemoveWorkspace,
  SectionType.RevokeToken,
]);

/** Commits records to the log, and applies them to the catalogue and the head. */
export function recordCommitter(options: RecordCommitterOptions): Commit {
  const { commitLog, state, heads, onRemoval, longBytes = longBodyBytes } = options;
  let isForgetting = false;

  /** Lets go of removed streams in later turns. */
  function forget(): void {
    if (isForgetting || state.removed.length === 0) return;
    isForgetting = true;
    inNextTurn(async () => {
      await atPace(forgetRemoved(state), paceReads(neverAborted));
      isForgetting = false;
    });
  }

  /** Tells of what may have taken rows away. */
  function watched(change: () => void): void {
    const { tombstones } = state;
    const removals = state.removals.count;
    const known = tombstones.all;
    change();
    forget();
    if (state.removals.count !== removals || tombstones.all !== known) onRemoval();
  }

  const apply: Apply = (slab, place) => {
    const head = heads.of(slab);
    watched(() => {
      applyRecord(state, slab, place, (_slab, at) => placeSection(head, at, place.lsn));
      showSections(head);
    });
  };

  /** In slices what nobody sees, and then the rest. */
  function applyLong(): { readonly prepare: Prepare; readonly apply: Apply } {
    let prepared: PreparedRecord | undefined;
    return {
      prepare(slab, place) {
        const head = heads.of(slab);
        prepared = preparedRecord(state, slab, place, (_slab, at) => placeSection(head, at, place.lsn));
        return prepared.steps;
      },
      apply(slab) {
        watched(() => {
          prepared!.show();
          showSections(heads.of(slab));
        });
      },
    };
  }

  return (drafts, before, onCopied) => {
    const bytes = sectionsBytes(drafts);
    const after = (then: Apply): Apply => (before ? applyAfter(before, then) : then);
    if (onCopied !== undefined && bytes >= longBytes) {
      const long = applyLong();
      return commitLog.append({
        bytes,
        steps: stepsOf(drafts, onCopied),
        prepare: long.prepare,
        apply: after(long.apply),
      });
    }
    const freesSpace = drafts.every(({ type }) => isFreeing.has(type));
    const appended = commitLog.append({ bytes, encode: encoderOf(drafts), apply: after(apply), freesSpace });
    onCopied?.();
    return appended;
  };
}

// Functions of their own: what is applied later must not hold the drafts, which hold the rows.

function encoderOf(drafts: readonly SectionDraft[]): Encode {
  return (slab, at) => writeSections(slab, at, drafts);
}

function stepsOf(drafts: readonly SectionDraft[], onCopied: () => void): EncodeSteps {
  return function* (slab, at) {
    yield* sectionsSteps(slab, at, drafts);
    onCopied();
  };
}

function applyAfter(before: (place: RecordPlace) => void, apply: Apply): Apply {
  return (slab, place) => {
    before(place);
    apply(slab, place);
  };
}
