import { promised } from '../../../turns/promised.ts';
import type { Batch, Change } from '../../store.ts';
import { tokenRow, workspaceRow } from '../catalog/change-rows.ts';
import { isOfAlerts } from '../catalog/document-rows.ts';
import type { Registry } from '../catalog/registry.ts';
import { namedStreams } from '../catalog/stream-scope.ts';
import type { TableRow } from '../catalog/table-rows.ts';
import { param, type Sql, sql } from '../server/sql.ts';
import type { VersionClock } from '../server/version-clock.ts';
import { type BatchDraft, draftBatch } from './batch-draft.ts';
import { type SeriesValues, seriesBytes, valueBytes } from './series-values.ts';
import type { TableWriter } from './table-writer.ts';
import type { WorkspaceLimits } from './workspace-limits.ts';

export interface AppendOptions {
  readonly writer: TableWriter;
  readonly clock: VersionClock;
  readonly registry: Registry;
  /** Makes the registry hold all that any node had acknowledged. */
  readonly refresh: () => Promise<void>;
  readonly limits: WorkspaceLimits;
  /** Lets the clock see the newest versions of what is in scope that any node had acknowledged. */
  readonly look: (scope: readonly Sql[]) => Promise<void>;
  /** Removes a workspace for good with what it has. */
  readonly removeWorkspace: (name: string) => Promise<void>;
  /** Told of each retention before and after it changes, so that it holds for the rows that are there. */
  readonly retentions: {
    changing(workspace: string, topic: string | undefined, age: bigint | undefined): Promise<void>;
    changed(workspace: string, topic: string | undefined): Promise<void>;
  };
}

/**
 * `append` of the store. A request for one stream is one insert; one with several kinds of changes is several, of
 * which a failure may leave some: the request is not acknowledged then, and repeating it completes it.
 */
export function appender(options: AppendOptions): (batch: Batch) => Promise<void> {
  const { writer, clock, registry, limits, retentions } = options;

  /** What depends on what other nodes did, so it may have to be asked for. */
  async function sharedChanges({ unknownWorkspace, revoked }: BatchDraft): Promise<SharedChanges> {
    const tokenOf = (id: string) => registry.tokens().find((token) => token.id === id);
    const isKnown = unknownWorkspace === undefined && revoked.every((id) => tokenOf(id) !== undefined);
    if (!isKnown) await options.refresh();
    const rows: TableRow[] = [];
    const effects: (() => void)[] = [];
    if (unknownWorkspace !== undefined && registry.workspace(unknownWorkspace.name) === undefined) {
      const { name, version, at } = unknownWorkspace;
      const workspace = { name, createdAt: Number(at / 1_000_000n) };
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

  let turn: Promise<void> = Promise.resolve();

  /**
   * The draft as it is to be written: where nodes may disagree about versions, above those of its streams that are
   * there. Drafts take their versions in the order of the calls.
   */
  async function latest(draft: BatchDraft, { workspace, changes }: Batch): Promise<BatchDraft> {
    if (!clock.mustLook) return draft;
    const scope = [sql`workspace = ${param(workspace, 'String')}`, namedStreams(draft.streams)];
    const looks = [
      ...(changes.some(isShared) ? [options.refresh()] : []),
      ...(draft.streams.length > 0 ? [options.look(scope)] : []),
    ];
    turn = Promise.allSettled([turn, ...looks]).then(() => undefined);
    await turn;
    await Promise.all(looks);
    return draft.restamped();
  }

  let retention: Promise<void> = Promise.resolve();

  /** Resolves when the changes of retention before it are in the registry, with what ends this one: what a change lets no longer expire goes by them. */
  async function retentionTurn(): Promise<() => void> {
    const before = retention;
    const { promise, resolve } = promised();
    retention = promise;
    await before;
    return resolve;
  }

  return async function append(batch) {
    // Before anything that waits: the caller's arrays are its own again when this call returns.
    let draft = draftBatch(batch, clock, registry);
    const release = writer.hold(sum(draft.series, seriesBytes));
    let admitted: { done(): void } | undefined;
    let endTurn: (() => void) | undefined;
    const changed = retentionsIn(batch);
    try {
      draft = await latest(draft, batch);
      admitted = await limits.admit(batch, sum(draft.series, valueBytes));
      const shared = await sharedChanges(draft);
      if (changed.length > 0) {
        endTurn = await retentionTurn();
        // Another node may have changed it a moment ago.
        await options.refresh();
      }
      for (const { workspace, topic, age } of changed) await retentions.changing(workspace, topic, age);
      await writer.insertRows([...shared.rows, ...draft.rows.filter((row) => !isOfAlerts(row))]);
      await writer.insertValues(draft.series, draft.partitions);
      // A state says that its events stand there, and a message tells of them: a write that is repeated must find the one before it until they do.
      const states = draft.rows.filter(isOfAlerts);
      if (states.length > 0) await writer.insertRows(states);
      shared.apply();
      draft.apply(registry);
    } finally {
      endTurn?.();
      admitted?.done();
      release();
    }
    for (const name of draft.removed) {
      await writer.settled();
      await options.removeWorkspace(name);
    }
    for (const { workspace, topic } of changed) await retentions.changed(workspace, topic);
  };
}

/** The retentions that a batch changes. */
function retentionsIn({ workspace, changes }: Batch) {
  return changes.flatMap((change) => {
    if (change.type === 'topic') return { workspace, topic: change.topic, age: change.retention };
    if (change.type !== 'workspace') return [];
    const { name, retention } = change.workspace;
    return { workspace: name, topic: undefined, age: retention };
  });
}

const shared: ReadonlySet<Change['type']> = new Set([
  'topic',
  'token',
  'revokeToken',
  'keep',
  'forget',
  'workspace',
]);

/** Whether a change is of what the registry holds. */
function isShared({ type }: Change): boolean {
  return shared.has(type);
}

function sum(series: readonly SeriesValues[], bytesOf: (one: SeriesValues) => number): number {
  return series.reduce((bytes, one) => bytes + bytesOf(one), 0);
}

interface SharedChanges {
  readonly rows: readonly TableRow[];
  apply(): void;
}
