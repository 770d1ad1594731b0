import { whole } from '../../turns/steps.ts';
import type { Appender, Batch, Change } from '../store.ts';
import { draftSteps } from './catalog/batch-draft.ts';
import { type CatalogState, placeStreams } from './catalog/catalog-state.ts';
import type { Admitted, WorkspaceLimits } from './catalog/workspace-limits.ts';
import { deleteExpired } from './deletes/delete-expired.ts';
import type { Expiry } from './deletes/expiry.ts';
import type { CommitLog } from './log/commit-log.ts';
import { commitInSlices } from './log/commit-slices.ts';
import type { SectionDraft } from './log/sections.ts';
import type { WriteRoom } from './maintenance/write-room.ts';

export interface AppenderOptions {
  readonly state: CatalogState;
  /** Milliseconds since the Unix epoch. */
  readonly clock: () => number;
  readonly limits: WorkspaceLimits;
  readonly room: Pick<WriteRoom, 'check' | 'close' | 'open'>;
  readonly commitLog: Pick<CommitLog, 'append'>;
  /** Resolves when rows that retention takes away, or has taken, are gone from what is told of streams. */
  readonly settleExpired: Expiry['settle'];
}

/** Appends batches, each as one record of the log. */
export class RecordAppender implements Required<Omit<Appender, 'room'>> {
  readonly #state;
  readonly #clock;
  readonly #limits;
  readonly #room;
  readonly #commitLog;
  readonly #settleExpired;
  /** Resolves when a change of retention is applied or has failed; undefined where none is under way. */
  #retention: Promise<void> | undefined;

  constructor({ state, clock, limits, room, commitLog, settleExpired }: AppenderOptions) {
    this.#state = state;
    this.#clock = clock;
    this.#limits = limits;
    this.#room = room;
    this.#commitLog = commitLog;
    this.#settleExpired = settleExpired;
  }

  admit(batch: Batch): void {
    this.#limits.admit(batch)?.done();
  }

  append(batch: Batch): Promise<void> {
    // What it lets no longer expire follows from the change before it.
    if (this.#retention !== undefined && setsRetention(batch))
      return this.#retention.then(() => this.append(batch));
    try {
      this.#room.check(
        workspacesOf(batch),
        batch.changes.every(({ type }) => freeing.has(type)),
      );
      const admitted = batch.isAdmitted === true ? undefined : this.#limits.admit(batch);
      if (batch.onCopied !== undefined && hasMany(batch)) {
        return this.#appendMany(batch, draftTries).finally(() => admitted?.done());
      }
      // Nothing is left to do after it. What waits for the disk should hold little: see `ingest/write-path.ts`.
      if (admitted === undefined && batch.changes.every(({ type }) => leavesNothing.has(type))) {
        return this.#write(batch);
      }
      return this.#appendAndSettle(batch, admitted);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Whoever is told of the place sees streams that the batch makes as not made yet. */
  #write(batch: Batch): Promise<void> {
    const more = batch.onPlaced?.() ?? [];
    return this.#place(batch, whole(draftSteps(this.#state, batch, this.#clock())), more);
  }

  /** Gives the record its place in the log: from here on its numbers keep their meaning. */
  #place(batch: Batch, drafts: readonly SectionDraft[], changes: readonly Change[]): Promise<void> {
    const { workspace } = batch;
    const all =
      changes.length === 0
        ? drafts
        : [...drafts, ...whole(draftSteps(this.#state, { workspace, changes }, this.#clock()))];
    placeStreams(this.#state, all);
    return all.length > 0
      ? this.#commitLog.append({ sections: all, onCopied: batch.onCopied })
      : Promise.resolve();
  }

  /**
   * The way of rows of very many streams: drafted in slices of time. Where a number may have lost its meaning meanwhile it
   * is drafted again; where that goes on, at once. Nothing is left to hold the batch while the disk is waited for.
   */
  #appendMany(batch: Batch, tries: number): Promise<void> {
    const { count } = this.#state.lostNumbers;
    return commitInSlices(draftSteps(this.#state, batch, this.#clock())).then((drafts) => {
      this.#room.check(workspacesOf(batch), false);
      if (this.#state.lostNumbers.count === count) {
        return this.#place(batch, drafts, batch.onPlaced?.() ?? []);
      }
      return tries > 1 ? this.#appendMany(batch, tries - 1) : this.#write(batch);
    });
  }

  async #appendAndSettle(batch: Batch, admitted: Admitted | undefined): Promise<void> {
    const removals = this.#state.removals.count;
    const removed = batch.changes
      .filter((change) => change.type === 'removeWorkspace')
      .map(({ name }) => name);
    this.#room.close(removed);
    const deleting = deleteExpired(this.#state, this.#commitLog, batch);
    let deletes: ReadonlySet<number> | undefined;
    try {
      const written = Promise.all([deleting, this.#write(batch)]);
      if (setsRetention(batch)) this.#retain(written);
      [deletes] = await written;
    } finally {
      admitted?.done();
      this.#room.open(removed);
    }
    // Retention that was made shorter takes rows away at once.
    if (this.#state.removals.count !== removals && setsRetention(batch)) await this.#settleExpired(deletes);
  }

  /** Has the next change of retention wait for this one. */
  #retain(written: Promise<unknown>): void {
    const end = (): void => {
      this.#retention = undefined;
    };
    this.#retention = written.then(end, end);
  }
}

/** Changes after which nothing is left to do. */
const leavesNothing: ReadonlySet<Change['type']> = new Set(['rows', 'eventDefinitions', 'keep']);
/** The number of changes, or definitions, from which on they take longer than a millisecond. */
const manyChanges = 512;
const draftTries = 3;
/** Changes that may take rows away. */
const freeing: ReadonlySet<Change['type']> = new Set([
  'topic',
  'workspace',
  'removeWorkspace',
  'revokeToken',
]);

function setsRetention({ changes }: Batch): boolean {
  return changes.some(({ type }) => type === 'topic' || type === 'workspace');
}

function hasMany({ changes }: Batch): boolean {
  return (
    changes.length >= manyChanges ||
    changes.some((change) => 'definitions' in change && change.definitions.length >= manyChanges)
  );
}

/** The workspaces that a batch writes to. */
function workspacesOf({ workspace, changes }: Batch): string[] {
  const named = (change: Change): string => {
    if (change.type === 'token') return change.token.workspace;
    return change.type === 'workspace' ? change.workspace.name : workspace;
  };
  return changes.map(named);
}
