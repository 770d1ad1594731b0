import { foldTopic } from '../../../domain/topic.ts';
import type { Batch, Change } from '../../store.ts';
import { type Arrival, arrivalRows } from '../catalog/arrivals.ts';
import { changeRows, topicRow } from '../catalog/change-rows.ts';
import { documentOf, documentRow } from '../catalog/document-rows.ts';
import type { Registry } from '../catalog/registry.ts';
import { raisedRow, streamRow, type TableRow } from '../catalog/table-rows.ts';
import type { Stamp, VersionClock, VersionSource } from '../server/version-clock.ts';
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

/** The caller's arrays are copied. Throws `invalid_value` for more than an insert may have. */
export function draftBatch(
  { workspace, changes }: Batch,
  clock: VersionClock,
  registry: Registry,
): BatchDraft {
  // Streams of one request have one createdAt. A change takes a version, and each of its rows another one.
  const most = changes.reduce((sum, one) => sum + 1 + (one.type === 'rows' ? one.rows.length : 0), 1);
  const moment = clock.inOneMs(most);
  const start = moment.next();
  const draft = new DraftedChanges(workspace, moment, registry);
  for (const change of changes) draft.add(change);
  checkPartitions(draft.partitions);
  const raisedBy = (by: bigint): BatchDraft =>
    draft.raised(by, () => raisedBy(clock.inOneMs(most).next() - start));
  return raisedBy(0n);
}

type ChangeOf<Type extends Change['type']> = Extract<Change, { readonly type: Type }>;

/** Puts a change into the registry, its versions raised by so much. */
type Effect = (registry: Registry, by: bigint) => void;

/** What the changes of one batch write, gathered change by change in their order. */
class DraftedChanges {
  readonly #workspace: string;
  /** Gives each change its version. */
  readonly #moment: VersionSource;
  readonly #registry: Registry;
  readonly #series: SeriesValues[] = [];
  readonly partitions = new Set<number>();
  readonly #rows: TableRow[] = [];
  /** Which streams were written to or changed. */
  readonly #arrivals: Arrival[] = [];
  /** In the order of the changes. */
  readonly #effects: Effect[] = [];
  readonly #revoked: string[] = [];
  readonly #removed: string[] = [];
  /** Topics, folded, that come into being with this batch. */
  readonly #newTopics = new Set<string>();
  #unknownWorkspace: BatchDraft['unknownWorkspace'];

  constructor(workspace: string, moment: VersionSource, registry: Registry) {
    this.#workspace = workspace;
    this.#moment = moment;
    this.#registry = registry;
  }

  add(change: Change): void {
    const stamp = this.#moment.stamp();
    switch (change.type) {
      case 'rows':
        this.#addRows(change, stamp);
        return;
      case 'revokeToken':
        this.#revoked.push(change.id);
        return;
      case 'removeWorkspace':
        this.#removed.push(change.name);
        return;
      case 'keep':
      case 'forget':
        this.#addKept(change, stamp);
        return;
      case 'stream':
      case 'parameterDefinitions':
      case 'eventDefinitions':
        this.#place(change.topic, stamp);
        this.#addRowsOf(change, stamp);
        this.#addArrival(change, 'write', stamp);
        return;
      case 'close':
        this.#addRowsOf(change, stamp);
        this.#addArrival(change, 'change', stamp);
        return;
      case 'topic':
      case 'token':
      case 'workspace':
        this.#effects.push(this.#effectOf(change, stamp));
        this.#addRowsOf(change, stamp);
        return;
    }
  }

  /** What the changes write, with versions that are higher by so much; the changes themselves stay as they are. */
  raised(by: bigint, restamped: BatchDraft['restamped']): BatchDraft {
    const unknown = this.#unknownWorkspace;
    const effects = this.#effects;
    return {
      streams: this.#arrivals,
      series: by === 0n ? this.#series : this.#series.map((one) => ({ ...one, version: one.version + by })),
      partitions: this.partitions,
      rows: [
        ...(by === 0n ? this.#rows : this.#rows.map((row) => raisedRow(row, by))),
        ...arrivalRows(this.#arrivals.map((one) => ({ ...one, first: one.first + by, last: one.last + by }))),
      ],
      unknownWorkspace: unknown && { ...unknown, version: unknown.version + by },
      revoked: this.#revoked,
      removed: this.#removed,
      apply(known) {
        for (const effect of effects) effect(known, by);
      },
      restamped,
    };
  }

  #addRows(change: ChangeOf<'rows'>, stamp: Stamp): void {
    this.#place(change.topic, stamp);
    const owner = {
      workspace: this.#workspace,
      topic: foldTopic(change.topic),
      stream: change.streamId,
      retention: this.#registry.retention(this.#workspace, change.topic) ?? 0n,
    };
    const before = this.#series.length;
    for (const rowsOfChange of change.rows) {
      addPartitions(this.partitions, rowsOfChange);
      for (const one of seriesOf(owner, rowsOfChange, this.#moment)) this.#series.push(one);
    }
    // Rows without values bring a stream into being too.
    if (this.#series.length === before) this.#rows.push(streamRow({ ...owner, touched: stamp.version }));
    const first = this.#series[before]?.version ?? stamp.version;
    const last = this.#series.length === before ? stamp.version : this.#series.at(-1)!.version;
    this.#arrivals.push({ ...owner, what: 'write', first, last, at: stamp.at });
  }

  #addKept(change: ChangeOf<'keep' | 'forget'>, stamp: Stamp): void {
    if (change.type === 'keep') this.#placeWorkspace(stamp);
    const workspace = this.#workspace;
    const { version } = stamp;
    const updatedAt = Number(stamp.at / 1_000_000n);
    this.#rows.push(documentRow(workspace, change, updatedAt, version));
    this.#effects.push((known, by) =>
      known.putDocument({
        workspace,
        name: change,
        version: version + by,
        item: change.type === 'keep' ? documentOf(change, updatedAt) : undefined,
      }),
    );
  }

  #addRowsOf(change: Parameters<typeof changeRows>[1], { version }: Stamp): void {
    for (const row of changeRows(this.#workspace, change, version)) this.#rows.push(row);
  }

  #addArrival(
    change: { readonly topic: string; readonly streamId: string },
    what: Arrival['what'],
    { version, at }: Stamp,
  ): void {
    this.#arrivals.push({
      workspace: this.#workspace,
      topic: foldTopic(change.topic),
      stream: change.streamId,
      what,
      first: version,
      last: version,
      at,
    });
  }

  #effectOf(change: ChangeOf<'topic' | 'token' | 'workspace'>, { version }: Stamp): Effect {
    const workspace = this.#workspace;
    switch (change.type) {
      case 'topic':
        return (known, by) =>
          known.putTopic({
            workspace,
            topic: foldTopic(change.topic),
            name: { version: version + by, text: change.topic },
            retention: { version: version + by, age: change.retention },
          });
      case 'token':
        return (known, by) =>
          known.putToken({ id: change.token.id, version: version + by, token: change.token });
      case 'workspace': {
        const { name } = change.workspace;
        return (known, by) =>
          known.putWorkspace({ name, version: version + by, workspace: change.workspace });
      }
    }
  }

  #placeWorkspace(stamp: Stamp): void {
    if (this.#registry.workspace(this.#workspace) === undefined)
      this.#unknownWorkspace ??= { name: this.#workspace, ...stamp };
  }

  /** A write to a stream: its workspace and its topic come into being. */
  #place(topic: string, stamp: Stamp): void {
    this.#placeWorkspace(stamp);
    const workspace = this.#workspace;
    const { version } = stamp;
    const folded = foldTopic(topic);
    if (this.#newTopics.has(folded) || this.#registry.topicName(workspace, topic) !== undefined) return;
    this.#newTopics.add(folded);
    this.#rows.push(topicRow(workspace, topic, version));
    this.#effects.push((known, by) =>
      known.putTopic({
        workspace,
        topic: folded,
        name: { version: version + by, text: topic },
        retention: { version: 0n, age: undefined },
      }),
    );
  }
}
