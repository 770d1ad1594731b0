import type { Batch } from '../store.ts';
import { type BatchDraft, draftBatch } from './batch-draft.ts';
import type { Registry } from './catalog/registry.ts';
import { tokenRow, workspaceRow } from './change-rows.ts';
import { runBytes, type SampleRun, valueBytes } from './sample-run.ts';
import type { TableRow } from './table-rows.ts';
import type { TableWriter } from './table-writer.ts';
import type { VersionClock } from './version-clock.ts';
import type { WorkspaceLimits } from './workspace-limits.ts';

export interface AppendOptions {
  readonly writer: TableWriter;
  readonly clock: VersionClock;
  readonly registry: Registry;
  /** Makes the registry hold all that any node had acknowledged. */
  readonly refresh: () => Promise<void>;
  readonly limits: WorkspaceLimits;
  /** Removes for good what a workspace had up to a version. */
  readonly removeWorkspace: (name: string, version: bigint) => Promise<void>;
  /** Makes a changed retention hold for the rows that are there. */
  readonly retentionChanged: (workspace: string, topic: string | undefined) => Promise<void>;
}

/**
 * `append` of the store. A request for one stream is one insert; one with several kinds of changes is several, of
 * which a failure may leave some: the request is not acknowledged then, and repeating it completes it.
 */
export function appender(options: AppendOptions): (batch: Batch) => Promise<void> {
  const { writer, clock, registry, limits } = options;

  /** What depends on what other nodes did, so it may have to be asked for. */
  async function sharedChanges({ unknownWorkspace, revoked }: BatchDraft): Promise<SharedChanges> {
    const tokenOf = (id: string) => registry.tokens().find((token) => token.id === id);
    const isKnown = unknownWorkspace === undefined && revoked.every((id) => tokenOf(id) !== undefined);
    if (!isKnown) await options.refresh();
    const rows: TableRow[] = [];
    const effects: (() => void)[] = [];
    if (unknownWorkspace !== undefined && registry.workspace(unknownWorkspace.name) === undefined) {
      const { name, version } = unknownWorkspace;
      const workspace = { name, createdAt: Number(version / 1_000_000n) };
      rows.push(workspaceRow(workspace, version));
      effects.push(() => registry.putWorkspace({ name, version, workspace }));
    }
    for (const id of revoked) {
      const token = tokenOf(id);
      if (token === undefined) continue;
      const version = clock.next();
      rows.push(tokenRow(token, version, true));
      effects.push(() => registry.putToken({ id, version, token: undefined }));
    }
    return {
      rows,
      apply() {
        for (const effect of effects) effect();
      },
    };
  }

  return async function append(batch) {
    // Before anything that waits: the caller's arrays are its own again when this call returns.
    const draft = draftBatch(batch, clock, registry);
    const release = writer.hold(sum(draft.runs, runBytes));
    let admitted: { done(): void } | undefined;
    try {
      admitted = await limits.admit(batch, sum(draft.runs, valueBytes));
      const shared = await sharedChanges(draft);
      await writer.insertRows([...shared.rows, ...draft.rows]);
      await writer.insertSamples(draft.runs, draft.partitions);
      shared.apply();
      draft.apply(registry);
    } finally {
      admitted?.done();
      release();
    }
    for (const { name, version } of draft.removed) {
      await writer.settled();
      await options.removeWorkspace(name, version);
    }
    for (const change of batch.changes) {
      if (change.type === 'topic') await options.retentionChanged(batch.workspace, change.topic);
      if (change.type === 'workspace') await options.retentionChanged(change.workspace.name, undefined);
    }
  };
}

function sum(runs: readonly SampleRun[], bytesOf: (run: SampleRun) => number): number {
  return runs.reduce((bytes, run) => bytes + bytesOf(run), 0);
}

interface SharedChanges {
  readonly rows: readonly TableRow[];
  apply(): void;
}
