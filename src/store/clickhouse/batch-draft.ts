import type { Batch, Change } from '../store.ts';
import type { Registry } from './catalog/registry.ts';
import { changeRows, topicRow } from './change-rows.ts';
import { addPartitions, checkPartitions } from './partitions.ts';
import { type SampleRun, sampleRuns } from './sample-run.ts';
import { streamRow, type TableRow } from './table-rows.ts';
import type { VersionClock } from './version-clock.ts';

/**
 * What a batch writes. Versions rise from change to change, so that a later one wins. `rows` are to be inserted
 * before `runs`: what they bring into being (a topic, a stream's properties) is there when values show.
 */
export interface BatchDraft {
  readonly runs: readonly SampleRun[];
  /** Those that the runs are in. */
  readonly partitions: ReadonlySet<number>;
  readonly rows: readonly TableRow[];
  /** A workspace that the registry does not know, with the version of the first write into it. */
  readonly unknownWorkspace: { readonly name: string; readonly version: bigint } | undefined;
  readonly revoked: readonly string[];
  readonly removed: readonly { readonly name: string; readonly version: bigint }[];
  /** Puts what the batch changed into the registry, once it is acknowledged. */
  apply(registry: Registry): void;
}

/** The caller's arrays are copied. Throws `invalid_value` for more than an insert may have. */
export function draftBatch(
  { workspace, changes }: Batch,
  clock: VersionClock,
  registry: Registry,
): BatchDraft {
  const runs: SampleRun[] = [];
  const partitions = new Set<number>();
  const rows: TableRow[] = [];
  const revoked: string[] = [];
  const removed: { name: string; version: bigint }[] = [];
  const effects: ((registry: Registry) => void)[] = [];
  const topics = new Set<string>();
  let unknownWorkspace: BatchDraft['unknownWorkspace'];

  /** A write to a stream: its workspace and its topic come into being. */
  const place = (topic: string, version: bigint): void => {
    if (registry.workspace(workspace) === undefined) unknownWorkspace ??= { name: workspace, version };
    const folded = topic.toLowerCase();
    if (topics.has(folded) || registry.topicName(workspace, topic) !== undefined) return;
    topics.add(folded);
    rows.push(topicRow(workspace, topic, version));
    effects.push((known) =>
      known.putTopic({
        workspace,
        topic: folded,
        name: { version, text: topic },
        retention: { version: 0n, age: undefined },
      }),
    );
  };

  const addRows = (change: Extract<Change, { readonly type: 'rows' }>): void => {
    const version = clock.next();
    place(change.topic, version);
    const owner = {
      workspace,
      topic: change.topic.toLowerCase(),
      stream: change.streamId,
      retention: registry.retention(workspace, change.topic) ?? 0n,
    };
    const before = runs.length;
    for (const one of change.rows) {
      addPartitions(partitions, one);
      for (const run of sampleRuns(owner, one, clock)) runs.push(run);
    }
    // Rows without values bring a stream into being too.
    if (runs.length === before) rows.push(streamRow({ ...owner, touched: version }));
  };

  for (const change of changes) {
    if (change.type === 'rows') {
      addRows(change);
      continue;
    }
    const version = clock.next();
    switch (change.type) {
      case 'revokeToken':
        revoked.push(change.id);
        continue;
      case 'removeWorkspace':
        removed.push({ name: change.name, version });
        continue;
      case 'stream':
      case 'parameterDefinitions':
      case 'eventDefinitions':
        place(change.topic, version);
        break;
      case 'close':
        break;
      case 'topic':
        effects.push((known) =>
          known.putTopic({
            workspace,
            topic: change.topic.toLowerCase(),
            name: { version, text: change.topic },
            retention: { version, age: change.retention },
          }),
        );
        break;
      case 'token':
        effects.push((known) => known.putToken({ id: change.token.id, version, token: change.token }));
        break;
      case 'workspace': {
        const { name } = change.workspace;
        effects.push((known) => known.putWorkspace({ name, version, workspace: change.workspace }));
        break;
      }
    }
    for (const row of changeRows(workspace, change, version)) rows.push(row);
  }
  checkPartitions(partitions);
  return {
    runs,
    partitions,
    rows,
    unknownWorkspace,
    revoked,
    removed,
    apply(known) {
      for (const effect of effects) effect(known);
    },
  };
}
