import { randomUUID } from 'node:crypto';
import type { Rows } from '../domain/parameter-data.ts';
import type { StreamFilter } from '../domain/query.ts';
import { noTags } from '../domain/tags.ts';
import { PitwallError } from '../errors.ts';
import type { Metrics } from '../metrics.ts';
import type { Store, StreamsChange } from '../store/store.ts';
import { decodeEventDefinitions, decodeParameterDefinitions } from '../wire/definition.ts';
import { decodeEvents, decodeEventValue } from '../wire/event-data.ts';
import { type Lines, readLines } from '../wire/line-protocol.ts';
import { checkName } from '../wire/name.ts';
import { createParameterDataDecoder } from '../wire/parameter-data.ts';
import type { PayloadLimits } from '../wire/payload-limits.ts';
import { decodeCloseStream, decodeCreateStream, decodeStreamProperties } from '../wire/stream-request.ts';
import { decodeTopicSettings } from '../wire/topic-settings.ts';
import { createCommitter, type Live } from './commit.ts';
import { rowsOfEvents } from './event-rows.ts';
import { waitForRoom } from './room.ts';
import { uniqueTime } from './unique-time.ts';

/**
 * Everything that writes, from the bytes of a request to the durable answer; HTTP and hub both come through here.
 * Each call resolves when its data is on disk and visible, and applies wholly or not at all; then it is published.
 * Bad input rejects with its own code (400), no room with `overloaded` (503), a workspace at its limit with
 * `too_many_streams` or `workspace_full` (403). Writes of rows resolve with the number of rows that were expired
 * already, and not kept.
 */
export interface Writer {
  parameterData(workspace: string, topic: string, streamId: string, body: Uint8Array): Promise<number>;
  parameterDataBatch(workspace: string, topic: string, body: Uint8Array): Promise<number>;
  /** An array of events, or one. */
  eventData(workspace: string, topic: string, streamId: string, body: Uint8Array): Promise<number>;
  /** One event whose value is the body, as it is; without a `timestamp` (ns) it happens now. */
  eventValue(
    workspace: string,
    topic: string,
    streamId: string,
    eventId: string,
    body: Uint8Array,
    timestamp: bigint | undefined,
  ): Promise<number>;
  /**
   * Lines of the line protocol, whose good ones are written as one unit and whose bad ones are told. Of the good ones
   * `expired` were so old that they were not kept.
   *
   * @param unit nanoseconds of one unit of their timestamps
   * @param streamTags tags whose values make streams of their own of a measurement
   */
  lines(
    workspace: string,
    topic: string,
    body: Uint8Array,
    unit: bigint,
    streamTags: readonly string[],
  ): Promise<LinesWritten>;
  /** Merges definitions of parameters into those of the stream. */
  updateParameters(workspace: string, topic: string, streamId: string, body: Uint8Array): Promise<void>;
  /** The same of events. */
  updateEvents(workspace: string, topic: string, streamId: string, body: Uint8Array): Promise<void>;
  /** Answers the stream's id: the client's, or a new UUID. */
  createStream(workspace: string, topic: string, body: Uint8Array): Promise<string>;
  updateStream(workspace: string, topic: string, streamId: string, body: Uint8Array): Promise<void>;
  /** `stream_not_found` (404) if there is none. */
  closeStream(workspace: string, topic: string, streamId: string, body: Uint8Array): Promise<void>;
  /** Replaces the settings of a topic, which comes into being if it does not exist. */
  updateTopic(workspace: string, topic: string, body: Uint8Array): Promise<void>;
  /** Deletes or restores the streams that a filter selects; answers how many it changed. */
  changeStreams(workspace: string, action: StreamsChange['action'], filter: StreamFilter): Promise<number>;
  /** Resolves when all writes that are under way now have arrived or failed, and were published. */
  settled(): Promise<void>;
}

/** How many lines were good and written, how many were not, the first of those, and how many good ones are expired. */
export type LinesWritten = Pick<Lines, 'good' | 'bad' | 'firstBad'> & { readonly expired: number };

export function createWriter(
  store: Store,
  limits: PayloadLimits,
  metrics: Metrics,
  live: Live,
  now: () => number = Date.now,
): Writer {
  const room = waitForRoom(store);
  const decoder = createParameterDataDecoder(limits);
  const nextTime = uniqueTime(now);
  const { commit, changeStreams, settled } = createCommitter(store, live);

  const nameOf = (text: string, path: string): string => checkName(text, path, limits.maxNameBytes);

  const checkStream = (topic: string, streamId: string): void => {
    nameOf(topic, 'topic');
    nameOf(streamId, 'streamId');
  };

  return {
    // The decoder's arrays last until its next use and the store copies them at the call, so nothing may be awaited
    // between decoding and committing.
    async parameterData(workspace, topic, streamId, body) {
      checkStream(topic, streamId);
      const waiting = room();
      if (waiting !== undefined) await waiting;
      const rows = decoder.decode(body);
      const written = cellsOf(rows);
      const content = { type: 'parameterData', rows } as const;
      const expired = await commit(
        workspace,
        [{ type: 'rows', topic, streamId, rows }],
        [{ topic, streamId, bytes: body.length, content }],
      );
      count(metrics, written);
      return expired;
    },

    async parameterDataBatch(workspace, topic, body) {
      nameOf(topic, 'topic');
      const waiting = room();
      if (waiting !== undefined) await waiting;
      const entries = decoder.decodeBatch(body);
      if (entries.length === 0) return 0;
      const written = cellsOf(entries.flatMap(({ rows }) => rows));
      // Nobody measures how many bytes each stream has of a body: each gets its share.
      const bytes = body.length / entries.length;
      const expired = await commit(
        workspace,
        entries.map(({ streamId, rows }) => ({ type: 'rows', topic, streamId, rows })),
        entries.map(({ streamId, rows }) => ({
          topic,
          streamId,
          bytes,
          content: { type: 'parameterData', rows },
        })),
      );
      count(metrics, written);
      return expired;
    },

    async eventData(workspace, topic, streamId, body) {
      checkStream(topic, streamId);
      const waiting = room();
      if (waiting !== undefined) await waiting;
      const events = decodeEvents(body, limits);
      const expired = await commit(
        workspace,
        [{ type: 'rows', topic, streamId, rows: rowsOfEvents(events) }],
        [{ topic, streamId, bytes: body.length, content: { type: 'eventData', events } }],
      );
      count(metrics, { rows: events.length, cells: events.length });
      return expired;
    },

    async eventValue(workspace, topic, streamId, eventId, body, timestamp) {
      checkStream(topic, streamId);
      const id = nameOf(eventId, 'eventId');
      const waiting = room();
      if (waiting !== undefined) await waiting;
      const value = decodeEventValue(body, limits);
      const events = [{ id, timestamp: timestamp ?? nextTime(), value, tags: noTags }];
      const expired = await commit(
        workspace,
        [{ type: 'rows', topic, streamId, rows: rowsOfEvents(events) }],
        [{ topic, streamId, bytes: body.length, content: { type: 'eventData', events } }],
      );
      count(metrics, { rows: 1, cells: 1 });
      return expired;
    },

    async lines(workspace, topic, body, unit, streamTags) {
      nameOf(topic, 'topic');
      const waiting = room();
      if (waiting !== undefined) await waiting;
      const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
      const lines = readLines(bytes, { unit, now: nextTime(), streamTags, limits });
      const streams = [...lines.streams]
        .filter(([, { count }]) => count > 0)
        .map(([streamId, builder]) => ({ streamId, rows: builder.rows() }));
      let expired = 0;
      if (streams.length > 0) {
        const share = body.length / streams.length;
        expired = await commit(
          workspace,
          streams.map(({ streamId, rows }) => ({ type: 'rows', topic, streamId, rows })),
          streams.map(({ streamId, rows }) => ({
            topic,
            streamId,
            bytes: share,
            content: { type: 'parameterData', rows },
          })),
        );
        count(metrics, cellsOf(streams.flatMap(({ rows }) => rows)));
      }
      const { good, bad, firstBad } = lines;
      return { good, bad, firstBad, expired };
    },

    async updateParameters(workspace, topic, streamId, body) {
      checkStream(topic, streamId);
      const waiting = room();
      if (waiting !== undefined) await waiting;
      const definitions = decodeParameterDefinitions(body, limits);
      const content = { type: 'parameterDefinitions', definitions } as const;
      await commit(
        workspace,
        [{ ...content, topic, streamId }],
        [{ topic, streamId, bytes: body.length, content }],
      );
    },

    async updateEvents(workspace, topic, streamId, body) {
      checkStream(topic, streamId);
      const waiting = room();
      if (waiting !== undefined) await waiting;
      const definitions = decodeEventDefinitions(body, limits);
      const content = { type: 'eventDefinitions', definitions } as const;
      await commit(
        workspace,
        [{ ...content, topic, streamId }],
        [{ topic, streamId, bytes: body.length, content }],
      );
    },

    async createStream(workspace, topic, body) {
      nameOf(topic, 'topic');
      const { streamId = randomUUID(), properties } = decodeCreateStream(body, limits);
      await commit(
        workspace,
        [{ type: 'stream', topic, streamId, ...(properties === undefined ? {} : { properties }) }],
        [{ topic, streamId, bytes: body.length, content: { type: 'stream', properties } }],
      );
      return streamId;
    },

    async updateStream(workspace, topic, streamId, body) {
      checkStream(topic, streamId);
      const properties = decodeStreamProperties(body, limits);
      const content = { type: 'stream', properties } as const;
      await commit(
        workspace,
        [{ ...content, topic, streamId }],
        [{ topic, streamId, bytes: body.length, content }],
      );
    },

    async closeStream(workspace, topic, streamId, body) {
      const endType = decodeCloseStream(body);
      if (!(await store.catalog.hasStream(workspace, topic, streamId))) {
        throw new PitwallError('stream_not_found', {
          detail: `there is no stream '${streamId}' in the topic '${topic}'`,
        });
      }
      const content = { type: 'close', endType } as const;
      await commit(
        workspace,
        [{ ...content, topic, streamId }],
        [{ topic, streamId, bytes: body.length, content }],
      );
    },

    async updateTopic(workspace, topic, body) {
      nameOf(topic, 'topic');
      const { retention } = decodeTopicSettings(body);
      await commit(workspace, [{ type: 'topic', topic, retention }], []);
    },

    settled,
    changeStreams: (workspace, action, filter) => changeStreams(workspace, action, filter, now()),
  };
}

interface Written {
  readonly rows: number;
  readonly cells: number;
}

function cellsOf(all: readonly Rows[]): Written {
  let rows = 0;
  let cells = 0;
  for (const { count, columns } of all) {
    rows += count;
    cells += count * columns.length;
  }
  return { rows, cells };
}

function count({ rowsWritten, valuesWritten }: Metrics, { rows, cells }: Written): void {
  rowsWritten.inc(rows);
  valuesWritten.inc(cells);
}
