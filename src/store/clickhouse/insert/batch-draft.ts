import { foldTopic } from '../../../domain/topic.ts';
import type { Batch, Change } from '../../store.ts';
import { type Arrival, arrivalRows } from '../catalog/arrivals.ts';
import { changeRows, topicRow } from '../catalog/change-rows.ts';
import { keptItem, keptRow } from '../catalog/kept-rows.ts';
import type { Registry } from '../catalog/registry.ts';
import { raisedRow, streamRow, type TableRow } from '../catalog/table-rows.ts';
import type { Stamp, VersionClock } from '../server/version-clock.ts';
import { addPartitions, checkPartitions } from './partitions.ts';
import { type SeriesValues, seriesOf } from './series-values.ts';

/**
 * What a batch writes. Versions rise from change to change, so that a later one wins; they name one millisecond. `rows` are to be inserted
 * before `series`: what they bring into being (a topic, a stream's properties) is there when values show.
 */
export interface BatchDraft {
  readonly series: readonly SeriesValues[];
  /** The partitions that the series are in. */
  readonly partitions: ReadonlySet<number>;
  readonly rows: readonly TableRow[];
  /** A workspace that the registry does not know, with the stamp of the first write into it. */
  readonly unknownWorkspace: (Stamp & { readonly name: string }) | undefined;
  /** Tokens by their ids. */
  readonly revoked: readonly string[];
  /** Workspaces by their names. */
  readonly removed: readonly string[];
  /** Puts what the batch changed into the registry, once it is acknowledged. */
  apply(registry: Registry): void;
  /** The streams that it changes, each once or more. */
  readonly streams: readonly { readonly topic: string; readonly stream: string }[];
  /** The same with later versions, which it takes from the clock; it came when it came. */
  restamped(): BatchDraft;
}

type Effect = (registry: Registry, by: bigint) => void;

/** The caller's arrays are copied. Throws `invalid_value` for more than an insert may have. */
export function draftBatch(
  { workspace, changes }: Batch,
  clock: VersionClock,
  registry: Registry,
): BatchDraft {
  const series: SeriesValues[] = [];
  const partitions = new Set<number>();
  const rows: TableRow[] = [];
  const revoked: string[] = [];
  const removed: string[] = [];
  const arrivals: Arrival[] = [];
  /** Told by how much versions were raised since. */
  const effects: Effect[] = [];
  const topics = new Set<string>();
  let unknownWorkspace: BatchDraft['unknownWorkspace'];

  // Streams of one request have one createdAt. A change takes a version, and each of its rows another one.
  const most = changes.reduce((sum, one) => sum + 1 + (one.type === 'rows' ? one.rows.length : 0), 1);
  const moment = clock.inOneMs(most);
  const start = moment.next();

  const placeWorkspace = (stamp: Stamp): void => {
    if (registry.workspace(workspace) === undefined) unknownWorkspace ??= { name: workspace, ...stamp };
  };

  /** A write to a stream: its workspace and its topic come into being. */
  const place = (topic: string, stamp: Stamp): void => {
    placeWorkspace(stamp);
    const { version } = stamp;
    const folded = foldTopic(topic);
    if (topics.has(folded) || registry.topicName(workspace, topic) !== undefined) return;
    topics.add(folded);
    rows.push(topicRow(workspace, topic, version));
    effects.push((known, by) =>
      known.putTopic({
        workspace,
        topic: folded,
        name: { version: version + by, text: topic },
        retention: { version: 0n, age: undefined },
      }),
    );
  };

  const addRows = (change: Extract<Change, { readonly type: 'rows' }>): void => {
    const stamp = moment.stamp();
    place(change.topic, stamp);
    const owner = {
      workspace,
      topic: foldTopic(change.topic),
      stream: change.streamId,
      retention: registry.retention(workspace, change.topic) ?? 0n,
    };
    const before = series.length;
    for (const rowsOfChange of change.rows) {
      addPartitions(partitions, rowsOfChange);
      for (const one of seriesOf(owner, rowsOfChange, moment)) series.push(one);
    }
    const added = series.slice(before);
    // Rows without values bring a stream into being too.
    if (added.length === 0) rows.push(streamRow({ ...owner, touched: stamp.version }));
    const first = added[0]?.version ?? stamp.version;
    const last = added.at(-1)?.version ?? stamp.version;
    arrivals.push({ ...owner, what: 'write', first, last, at: stamp.at });
  };

  for (const change of changes) {
    if (change.type === 'rows') {
      addRows(change);
      continue;
    }
    const stamp = moment.stamp();
    const { version } = stamp;
    switch (change.type) {
      case 'revokeToken':
        revoked.push(change.id);
        continue;
      case 'removeWorkspace':
        removed.push(change.name);
        continue;
      case 'stream':
      case 'parameterDefinitions':
      case 'eventDefinitions':
        place(change.topic, stamp);
        break;
      case 'close':
        break;
      case 'topic':
        effects.push((known, by) =>
          known.putTopic({
            workspace,
            topic: foldTopic(change.topic),
            name: { version: version + by, text: change.topic },
            retention: { version: version + by, age: change.retention },
          }),
        );
        break;
      case 'keep':
      case 'forget': {
        if (change.type === 'keep') placeWorkspace(stamp);
        const updatedAt = Number(stamp.at / 1_000_000n);
        rows.push(keptRow(workspace, change, updatedAt, version));
        effects.push((known, by) =>
          known.putKept({
            workspace,
            name: change,
            version: version + by,
            item: change.type === 'keep' ? keptItem(change, updatedAt) : undefined,
          }),
        );
        continue;
      }
      case 'token':
        effects.push((known, by) =>
          known.putToken({ id: change.token.id, version: version + by, token: change.token }),
        );
        break;
      case 'workspace': {
        const { name } = change.workspace;
        effects.push((known, by) =>
          known.putWorkspace({ name, version: version + by, workspace: change.workspace }),
        );
        break;
      }
    }
    for (const row of changeRows(workspace, change, version)) rows.push(row);
    if (!('streamId' in change)) continue;
    arrivals.push({
      workspace,
      topic: foldTopic(change.topic),
      stream: change.streamId,
      what: change.type === 'close' ? 'change' : 'write',
      first: version,
      last: version,
      at: stamp.at,
    });
  }
  checkPartitions(partitions);

  const raised = (by: bigint): BatchDraft => ({
    streams: arrivals,
    series: by === 0n ? series : series.map((one) => ({ ...one, version: one.version + by })),
    partitions,
    rows: [
      ...(by === 0n ? rows : rows.map((row) => raisedRow(row, by))),
      ...arrivalRows(arrivals.map((one) => ({ ...one, first: one.first + by, last: one.last + by }))),
    ],
    unknownWorkspace: unknownWorkspace && { ...unknownWorkspace, version: unknownWorkspace.version + by },
    revoked,
    removed,
    apply(known) {
      for (const effect of effects) effect(known, by);
    },
    restamped: () => raised(clock.inOneMs(most).next() - start),
  });
  return raised(0n);
}
