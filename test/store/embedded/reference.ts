import { Kind, type ParameterKey } from '../../../src/domain/parameter-data.ts';
import type { Status, Stream, StreamProperties } from '../../../src/domain/stream.ts';
import { compareTagSets, compareText, tagSet, tagSetOfKey } from '../../../src/domain/tags.ts';
import type { ReadPlan } from '../../../src/query/plan/plan.ts';
import type { StreamsChange } from '../../../src/store/store.ts';
import type { ReadRow } from './read-rows.ts';
import type { Cell, TestRow } from './rows.ts';

/** What one request changes, as the reference understands it. */
export type ReferenceChange = StreamChange | { readonly type: 'removeWorkspace'; readonly name: string };

export interface RowsDelete {
  readonly streamIds: readonly string[] | undefined;
  readonly topic: string | undefined;
  readonly from: bigint;
  readonly to: bigint;
  /** Undefined: all. */
  readonly parameters: readonly ParameterKey[] | undefined;
  /** Tag sets of rows that are meant; undefined: all. */
  readonly hasTags?: (key: string) => boolean;
}

/** Streams that are deleted or restored: all that have one of the ids, or are in the topic. */
export interface StreamsDelete {
  readonly action: StreamsChange['action'];
  readonly streamIds?: readonly string[];
  readonly topic?: string;
}

export type StreamChange =
  | {
      readonly type: 'rows';
      readonly topic: string;
      readonly streamId: string;
      readonly rows: readonly TestRow[];
    }
  | {
      readonly type: 'stream';
      readonly topic: string;
      readonly streamId: string;
      readonly properties?: StreamProperties;
    }
  | { readonly type: 'close'; readonly topic: string; readonly streamId: string; readonly endType: 'Closed' };

interface Row {
  readonly timestamp: bigint;
  readonly tags: string;
  readonly cells: Map<string, Cell>;
}

interface ReferenceStream {
  readonly topic: string;
  readonly streamId: string;
  readonly createdAt: number;
  lastUpdate: number;
  closed: boolean;
  softDeleted: boolean;
  properties: StreamProperties;
  readonly rows: Map<string, Row>;
}

/** The store's rules, the plain way: maps of rows, sorted when they are read. */
export interface Reference {
  /** @param now the clock of the store when the change was appended */
  apply(workspace: string, changes: readonly ReferenceChange[], now: number): void;
  /** How many rows lost a value. */
  deleteRows(workspace: string, which: RowsDelete, now: number): number;
  /** How many streams changed. */
  changeStreams(workspace: string, which: StreamsDelete): number;
  read(plan: ReadPlan): ReadRow[];
  /** All streams of a workspace by topic and id, none of them interrupted. */
  streams(workspace: string): Omit<Stream, 'metadata' | 'parents' | 'timeOfRecording'>[];
}

export function reference(): Reference {
  const workspaces = new Map<string, Map<string, { name: string; streams: Map<string, ReferenceStream> }>>();

  function streamOf(workspace: string, topic: string, streamId: string, now: number): ReferenceStream {
    const topics = workspaces.get(workspace) ?? new Map();
    workspaces.set(workspace, topics);
    const known = topics.get(topic.toLowerCase()) ?? { name: topic, streams: new Map() };
    topics.set(topic.toLowerCase(), known);
    const stream: ReferenceStream = known.streams.get(streamId) ?? {
      topic: known.name,
      streamId,
      createdAt: now,
      lastUpdate: now,
      closed: false,
      softDeleted: false,
      properties: {},
      rows: new Map(),
    };
    known.streams.set(streamId, stream);
    return stream;
  }

  function applyChange(workspace: string, change: ReferenceChange, now: number): void {
    if (change.type === 'removeWorkspace') {
      workspaces.delete(change.name);
      return;
    }
    if (change.type === 'close' && !has(workspace, change.topic, change.streamId)) return;
    const stream = streamOf(workspace, change.topic, change.streamId, now);
    stream.lastUpdate = now;
    if (change.type !== 'close') stream.softDeleted = false;
    stream.closed = change.type === 'close';
    if (change.type === 'stream' && change.properties !== undefined) stream.properties = change.properties;
    if (change.type !== 'rows') return;
    for (const { time, tags = [], cells } of change.rows) {
      const { key } = tagSet(tags);
      const identity = `${time} ${key}`;
      const row: Row = stream.rows.get(identity) ?? { timestamp: time, tags: key, cells: new Map() };
      stream.rows.set(identity, row);
      for (const [name, cell] of Object.entries(cells)) {
        if (cell !== null) row.cells.set(cellKey({ kind: kindOf(cell), name }), cell);
      }
    }
  }

  function has(workspace: string, topic: string, streamId: string): boolean {
    return workspaces.get(workspace)?.get(topic.toLowerCase())?.streams.has(streamId) === true;
  }

  function streamsOf(workspace: string): ReferenceStream[] {
    return [...(workspaces.get(workspace)?.values() ?? [])].flatMap(({ streams }) => [...streams.values()]);
  }

  return {
    apply(workspace, changes, now) {
      for (const change of changes) applyChange(workspace, change, now);
    },
    deleteRows(workspace, { streamIds, topic, from, to, parameters, hasTags }, now) {
      const lost = new Set(parameters?.map(cellKey));
      let deleted = 0;
      for (const stream of streamsOf(workspace)) {
        if (stream.softDeleted || streamIds?.includes(stream.streamId) === false) continue;
        if (topic !== undefined && stream.topic.toLowerCase() !== topic.toLowerCase()) continue;
        stream.lastUpdate = now;
        for (const [identity, { timestamp, tags, cells }] of stream.rows) {
          if (timestamp < from || timestamp > to || hasTags?.(tags) === false) continue;
          const before = cells.size;
          for (const key of [...cells.keys()])
            if (parameters === undefined || lost.has(key)) cells.delete(key);
          if (cells.size < before) deleted++;
          if (cells.size === 0) stream.rows.delete(identity);
        }
      }
      return deleted;
    },
    changeStreams(workspace, { action, streamIds, topic }) {
      let changed = 0;
      for (const known of workspaces.get(workspace)?.values() ?? []) {
        if (topic !== undefined && known.name.toLowerCase() !== topic.toLowerCase()) continue;
        for (const stream of [...known.streams.values()]) {
          if (streamIds?.includes(stream.streamId) === false) continue;
          if (action !== 'hardDelete' && stream.softDeleted === (action === 'softDelete')) continue;
          if (action === 'hardDelete') known.streams.delete(stream.streamId);
          else stream.softDeleted = action === 'softDelete';
          changed++;
        }
      }
      return changed;
    },
    read(plan) {
      const { streamIds, topic, from, to, parameters, order, limit, after } = plan;
      const rows = streamsOf(plan.workspace)
        .filter(({ softDeleted }) => !softDeleted)
        .filter((stream) => streamIds?.includes(stream.streamId) ?? true)
        .filter((stream) => topic === undefined || stream.topic.toLowerCase() === topic.toLowerCase())
        .flatMap((stream) =>
          [...stream.rows.values()].map(({ timestamp, tags, cells }) => ({
            timestamp,
            tags,
            topic: stream.topic,
            streamId: stream.streamId,
            cells: parameters.map((parameter) => cells.get(cellKey(parameter)) ?? null),
          })),
        )
        .filter(({ timestamp }) => timestamp >= from && timestamp <= to)
        .filter(({ cells }) => cells.some((cell) => cell !== null))
        .sort(compareRows);
      if (order === 'Desc') rows.reverse();
      const behind = rows.filter(
        (row) =>
          after === undefined || compareRows(row, { ...after, cells: [] }) * (order === 'Desc' ? -1 : 1) > 0,
      );
      return behind.slice(0, limit);
    },
    streams: (workspace) =>
      streamsOf(workspace)
        .map((stream) => {
          const times = [...stream.rows.values()].map(({ timestamp }) => timestamp);
          return {
            streamId: stream.streamId,
            name: stream.properties.name ?? stream.streamId,
            topic: stream.topic,
            createdAt: stream.createdAt,
            lastUpdate: stream.lastUpdate,
            dataStart: times.length === 0 ? undefined : times.reduce(earlier),
            dataEnd: times.length === 0 ? undefined : times.reduce(later),
            status: statusOf(stream),
            location: stream.properties.location ?? '/',
          };
        })
        .sort((a, b) => compareText(a.topic, b.topic) || compareText(a.streamId, b.streamId)),
  };
}

function compareRows(a: ReadRow, b: ReadRow): number {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? -1 : 1;
  return (
    compareText(a.streamId, b.streamId) ||
    compareText(a.topic, b.topic) ||
    compareTagSets(tagSetOfKey(a.tags), tagSetOfKey(b.tags))
  );
}

function statusOf({ softDeleted, closed }: ReferenceStream): Status {
  if (softDeleted) return 'SoftDeleted';
  return closed ? 'Closed' : 'Open';
}

function earlier(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function later(a: bigint, b: bigint): bigint {
  return a < b ? b : a;
}

function kindOf(cell: Exclude<Cell, null>): Kind {
  if (typeof cell === 'number') return Kind.Numeric;
  return typeof cell === 'string' ? Kind.String : Kind.Binary;
}

function cellKey({ kind, name }: ParameterKey): string {
  return `${kind} ${name}`;
}
