import { mergeDefinition, type ParameterDefinition } from '../../../../src/domain/definition.ts';
import type { Document } from '../../../../src/domain/document.ts';
import { Kind, type ParameterKey } from '../../../../src/domain/parameter-data.ts';
import type { EndType, Status, StreamProperties } from '../../../../src/domain/stream.ts';
import { compareText, tagSet } from '../../../../src/domain/tags.ts';
import type { Change } from '../../../../src/store/batch.ts';
import type { Cell, TestRow } from '../rows.ts';

/** Columns whose name begins so are events. */
export const eventMark = '!';

/** A change of a request, with plain rows. */
export type PlainChange =
  | {
      readonly type: 'rows';
      readonly topic: string;
      readonly streamId: string;
      readonly rows: readonly TestRow[];
    }
  | {
      readonly type: 'workspace';
      readonly name: string;
      readonly createdAt: number;
      readonly retention?: bigint;
    }
  | Extract<
      Change,
      { type: 'stream' | 'parameterDefinitions' | 'close' | 'topic' | 'removeWorkspace' | 'keep' | 'forget' }
    >;

export interface PlainRow {
  readonly timestamp: bigint;
  /** The canonical text of the tags. */
  readonly tags: string;
  /** By `cellKey`. */
  readonly cells: Map<string, Cell>;
}

export interface PlainStream {
  readonly topic: string;
  readonly streamId: string;
  readonly createdAt: number;
  lastUpdate: number;
  ended: EndType | undefined;
  softDeleted: boolean;
  properties: StreamProperties;
  readonly definitions: Map<string, ParameterDefinition>;
  readonly rows: Map<string, PlainRow>;
}

export interface PlainTopic {
  readonly name: string;
  retention: bigint | undefined;
  /**
   * No row before this time (ns) is sure to be there: it was expired at some moment. What is on the disk of these may
   * show again, where a clock goes back.
   */
  floor: bigint;
  /** Whether a retention ever held: bounds of its streams are then told late. */
  everExpired: boolean;
  readonly streams: Map<string, PlainStream>;
}

export interface PlainWorkspace {
  retention: bigint | undefined;
  readonly topics: Map<string, PlainTopic>;
  /** Documents by topic (as it is asked for, in lower case) and id. */
  readonly kept: Map<string, Pick<Document, 'topic' | 'id' | 'body' | 'updatedAt'>>;
}

/** Which streams of a workspace are meant; undefined: all. */
export interface StreamSelection {
  readonly streamIds?: readonly string[] | undefined;
  readonly topic?: string | undefined;
}

export interface RowsDelete extends StreamSelection {
  readonly from: bigint;
  readonly to: bigint;
  /** Undefined: all but events. */
  readonly parameters: readonly ParameterKey[] | undefined;
  readonly hasTags: (key: string) => boolean;
}

/** The rules of the store, the plain way: maps of rows, sorted when they are read. */
export interface PlainStore {
  readonly workspaces: ReadonlyMap<string, PlainWorkspace>;
  /** @param now the clock of the store when the request was appended, ms */
  apply(workspace: string, changes: readonly PlainChange[], now: number): void;
  /** How many rows lost a value. */
  deleteRows(workspace: string, which: RowsDelete, now: number): number;
  /** How many streams changed. */
  changeStreams(
    workspace: string,
    action: 'softDelete' | 'hardDelete' | 'restore',
    which: StreamSelection,
  ): number;
  /** Streams in order of topic and id. */
  streams(workspace: string, which?: StreamSelection): PlainStream[];
  topic(workspace: string, name: string): PlainTopic | undefined;
  /** Rows expire by this time (ms) now. */
  expire(believed: number): void;
  /** The time (ns) before which rows of a topic are expired; undefined where none are. */
  retainedFrom(workspace: string, topic: string): bigint | undefined;
}

const lowest = -(2n ** 63n);

export function plainStore(): PlainStore {
  const workspaces = new Map<string, PlainWorkspace>([
    ['default', { retention: undefined, topics: new Map(), kept: new Map() }],
  ]);
  let believed = 0;

  function workspaceOf(name: string): PlainWorkspace {
    const workspace = workspaces.get(name) ?? { retention: undefined, topics: new Map(), kept: new Map() };
    workspaces.set(name, workspace);
    return workspace;
  }

  function topicOf(workspace: string, name: string): PlainTopic {
    const { topics } = workspaceOf(workspace);
    const topic: PlainTopic = topics.get(name.toLowerCase()) ?? {
      name,
      retention: undefined,
      floor: lowest,
      everExpired: false,
      streams: new Map(),
    };
    topics.set(name.toLowerCase(), topic);
    return topic;
  }

  function openStream(workspace: string, topicName: string, streamId: string, now: number): PlainStream {
    const topic = topicOf(workspace, topicName);
    const stream: PlainStream = topic.streams.get(streamId) ?? {
      topic: topic.name,
      streamId,
      createdAt: now,
      lastUpdate: now,
      ended: undefined,
      softDeleted: false,
      properties: {},
      definitions: new Map(),
      rows: new Map(),
    };
    topic.streams.set(streamId, stream);
    stream.lastUpdate = Math.max(stream.lastUpdate, now);
    stream.ended = undefined;
    stream.softDeleted = false;
    return stream;
  }

  function apply(workspace: string, change: PlainChange, now: number): void {
    switch (change.type) {
      case 'rows':
        addRows(openStream(workspace, change.topic, change.streamId, now), change.rows);
        break;
      case 'stream': {
        const stream = openStream(workspace, change.topic, change.streamId, now);
        if (change.properties !== undefined) stream.properties = change.properties;
        break;
      }
      case 'parameterDefinitions': {
        const { definitions } = openStream(workspace, change.topic, change.streamId, now);
        for (const definition of change.definitions)
          definitions.set(definition.id, mergeDefinition(definitions.get(definition.id), definition));
        break;
      }
      case 'close': {
        const stream = workspaces
          .get(workspace)
          ?.topics.get(change.topic.toLowerCase())
          ?.streams.get(change.streamId);
        if (stream === undefined) break;
        stream.ended = change.endType;
        stream.lastUpdate = Math.max(stream.lastUpdate, now);
        break;
      }
      case 'topic':
        topicOf(workspace, change.topic).retention = change.retention;
        break;
      case 'workspace':
        workspaceOf(change.name).retention = change.retention;
        break;
      case 'removeWorkspace':
        workspaces.delete(change.name);
        break;
      case 'keep': {
        const { topic, id, body } = change;
        workspaceOf(workspace).kept.set(documentKey(change), { topic, id, body, updatedAt: now });
        break;
      }
      case 'forget':
        workspaces.get(workspace)?.kept.delete(documentKey(change));
        break;
    }
  }

  function streamsOf(workspace: string, { streamIds, topic }: StreamSelection = {}): PlainStream[] {
    return [...(workspaces.get(workspace)?.topics.values() ?? [])]
      .filter(({ name }) => topic === undefined || name.toLowerCase() === topic.toLowerCase())
      .flatMap(({ streams }) => [...streams.values()])
      .filter(({ streamId }) => streamIds?.includes(streamId) ?? true)
      .sort((a, b) => compareText(a.topic, b.topic) || compareText(a.streamId, b.streamId));
  }

  function retentionOf(workspace: string, topic: PlainTopic): bigint | undefined {
    const shared = workspaces.get(workspace)?.retention;
    if (topic.retention === undefined || shared === undefined) return topic.retention ?? shared;
    return topic.retention < shared ? topic.retention : shared;
  }

  function retainedFrom(workspace: string, name: string): bigint | undefined {
    const topic = workspaces.get(workspace)?.topics.get(name.toLowerCase());
    const retention = topic && retentionOf(workspace, topic);
    if (retention === undefined) return undefined;
    const oldest = BigInt(Math.floor(believed)) * 1_000_000n - retention;
    return oldest < lowest ? lowest : oldest;
  }

  function raiseFloors(): void {
    for (const [workspace, { topics }] of workspaces) {
      for (const topic of topics.values()) {
        const kept = retainedFrom(workspace, topic.name);
        if (kept === undefined) continue;
        topic.everExpired = true;
        if (kept > topic.floor) topic.floor = kept;
      }
    }
  }

  return {
    workspaces,
    apply(workspace, changes, now) {
      for (const change of changes) apply(workspace, change, now);
      raiseFloors();
    },
    deleteRows(workspace, { from, to, parameters, hasTags, ...which }, now) {
      const lost = parameters && new Set(parameters.map(cellKey));
      let deleted = 0;
      for (const stream of streamsOf(workspace, which)) {
        if (stream.softDeleted) continue;
        stream.lastUpdate = Math.max(stream.lastUpdate, now);
        for (const [identity, { timestamp, tags, cells }] of stream.rows) {
          if (timestamp < from || timestamp > to || !hasTags(tags)) continue;
          const before = cells.size;
          for (const key of [...cells.keys()])
            if (lost === undefined ? !key.startsWith(`${Kind.Event} `) : lost.has(key)) cells.delete(key);
          if (cells.size < before) deleted++;
          if (cells.size === 0) stream.rows.delete(identity);
        }
      }
      return deleted;
    },
    changeStreams(workspace, action, which) {
      let changed = 0;
      for (const stream of streamsOf(workspace, which)) {
        if (action !== 'hardDelete' && stream.softDeleted === (action === 'softDelete')) continue;
        if (action === 'hardDelete')
          workspaces.get(workspace)!.topics.get(stream.topic.toLowerCase())!.streams.delete(stream.streamId);
        else stream.softDeleted = action === 'softDelete';
        changed++;
      }
      return changed;
    },
    streams: streamsOf,
    topic: (workspace, name) => workspaces.get(workspace)?.topics.get(name.toLowerCase()),
    expire(time) {
      believed = time;
      raiseFloors();
    },
    retainedFrom,
  };
}

function addRows(stream: PlainStream, rows: readonly TestRow[]): void {
  for (const { time, tags = [], cells } of rows) {
    const { key } = tagSet(tags);
    const identity = `${time} ${key}`;
    const row: PlainRow = stream.rows.get(identity) ?? { timestamp: time, tags: key, cells: new Map() };
    stream.rows.set(identity, row);
    for (const [name, cell] of Object.entries(cells))
      if (cell !== null) row.cells.set(cellKey({ kind: kindOf(name, cell), name }), cell);
  }
}

export function kindOf(name: string, cell: Exclude<Cell, null>): Kind {
  if (name.startsWith(eventMark)) return Kind.Event;
  if (typeof cell === 'number') return Kind.Numeric;
  return typeof cell === 'string' ? Kind.String : Kind.Binary;
}

function documentKey({ topic = '', id }: Pick<Document, 'topic' | 'id'>): string {
  return `${topic.toLowerCase()} ${id}`;
}

export function cellKey({ kind, name }: ParameterKey): string {
  return `${kind} ${name}`;
}

export function parameterOf(key: string): ParameterKey {
  return { kind: Number(key[0]) as Kind, name: key.slice(2) };
}

export function statusOf({ softDeleted, ended }: PlainStream): Status {
  return softDeleted ? 'SoftDeleted' : (ended ?? 'Open');
}
