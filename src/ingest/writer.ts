import { randomUUID } from 'node:crypto';
import type { StreamFilter } from '../domain/query.ts';
import { noTags } from '../domain/tags.ts';
import { PitwallError } from '../errors.ts';
import type { Metrics } from '../metrics.ts';
import type { Store, StreamsChange } from '../store/store.ts';
import { checkName } from '../wire/base/name.ts';
import { decodeTopicSettings } from '../wire/requests/topic-settings.ts';
import { eventDefinitionSteps, parameterDefinitionSteps } from '../wire/rows/definition.ts';
import { decodeEventValue, eventSteps } from '../wire/rows/event-data.ts';
import {
  createParameterDataDecoder,
  parameterDataBatchSteps,
  parameterDataSteps,
} from '../wire/rows/parameter-data.ts';
import type { PayloadLimits } from '../wire/rows/payload-limits.ts';
import {
  decodeCloseStream,
  decodeCreateStream,
  decodeStreamProperties,
} from '../wire/rows/stream-request.ts';
import type { Committer } from './commit.ts';
import { decodedEvents, decodedRows, decodedStatement, decodedStream, decodedTopic } from './decoded.ts';
import { eventRowsSteps } from './event-rows.ts';
import { waitForRoom } from './room.ts';
import { uniqueTime } from './unique-time.ts';
import type { StreamCall, TopicCall } from './write-call.ts';
import { type WriteLines, writeLines } from './write-lines.ts';
import { writePath } from './write-path.ts';
import {
  type WriteFittingSeries,
  type WriteSeries,
  writeFittingSeries,
  writeSeries,
} from './write-series.ts';

/** A write to one stream. */
type StreamWrite<Result> = (call: StreamCall, body: Uint8Array) => Promise<Result>;

/**
 * Everything that writes, from the bytes of a request to the durable answer; HTTP and hub both come through here.
 * Each call resolves when its data is on disk and visible, and applies wholly or not at all; then it is published.
 * Bad input rejects with its own code (400), no room with `overloaded` (503), a workspace at its limit with
 * `too_many_streams` or `workspace_full` (403). Writes of rows resolve with the number of rows that were expired
 * already, and not kept.
 */
export interface Writer {
  readonly parameterData: StreamWrite<number>;
  parameterDataBatch(call: TopicCall, body: Uint8Array): Promise<number>;
  /** An array of events, or one. */
  readonly eventData: StreamWrite<number>;
  /** One event whose value is the body, as it is; without a `timestamp` (ns) it happens now. */
  eventValue(
    call: StreamCall,
    eventId: string,
    body: Uint8Array,
    timestamp: bigint | undefined,
    contentType?: string,
  ): Promise<number>;
  /**
   * Lines of the line protocol. Good ones are written as one unit, bad ones are reported. `expired` counts good lines that
   * were too old to be kept.
   */
  readonly lines: WriteLines;
  /**
   * Series of any topics, as another program's protocol has them. Good ones are written as one unit with what is said of them;
   * what is refused was counted by who reads the body, in the steps that `read` gives.
   */
  readonly series: WriteSeries;
  /**
   * The same of programs that send for many sources: where the workspace may have no more streams those that are there are
   * written, and only the others refused.
   */
  readonly fittingSeries: WriteFittingSeries;
  /** Merges definitions of parameters into those of the stream. */
  readonly updateParameters: StreamWrite<void>;
  /** Merges definitions of events into those of the stream. */
  readonly updateEvents: StreamWrite<void>;
  /** Answers the stream's id: the client's, or a new UUID. */
  createStream(call: TopicCall, body: Uint8Array): Promise<string>;
  readonly updateStream: StreamWrite<void>;
  /** Closes a stream; rejects with `stream_not_found` (404) if there is none. */
  readonly closeStream: StreamWrite<void>;
  /** Replaces the settings of a topic, which comes into being if it does not exist. */
  updateTopic(call: TopicCall, body: Uint8Array): Promise<void>;
  /** Deletes or restores the streams that a filter selects; answers how many it changed. */
  changeStreams(workspace: string, action: StreamsChange['action'], filter: StreamFilter): Promise<number>;
  /** A rule fires because a stream was silent for too long. */
  readonly silence: Committer['commitSilence'];
  /** Resolves when all writes that are under way now have arrived or failed, and were published. */
  settled(): Promise<void>;
}

/** What times are compared with. */
export interface WriterClock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** That of this machine, for what comes without a time. */
  wall(): number;
  /** How far ahead of it rows may be. */
  readonly aheadMs: number;
}

/** @param committer the way to the store, or to the log of replicas */
export function createWriter(
  store: Store,
  limits: PayloadLimits,
  metrics: Metrics,
  { now, wall, aheadMs }: WriterClock,
  committer: Committer,
): Writer {
  const decoder = createParameterDataDecoder(limits);
  const nextTime = uniqueTime(wall);
  const { commit, changeStreams, commitSilence, settled } = committer;
  const write = writePath(waitForRoom(store), commit, metrics, now, aheadMs);

  const series = writeSeries(write, store.catalog, now);

  const nameOf = (text: string, path: string): string => checkName(text, path, limits.maxNameBytes);

  const checkStream = ({ topic, streamId }: StreamCall): void => {
    nameOf(topic, 'topic');
    nameOf(streamId, 'streamId');
  };

  return {
    async parameterData(call, body) {
      checkStream(call);
      const { topic, streamId, share } = call;
      return write(call, body, {
        steps: () => parameterDataSteps(body, limits, share),
        atOnce: () => decoder.decode(body, share),
        decoded: (rows) => decodedRows(topic, [{ streamId, rows }], body.length),
      });
    },

    async parameterDataBatch(call, body) {
      const { share } = call;
      const topic = nameOf(call.topic, 'topic');
      return write(call, body, {
        steps: () => parameterDataBatchSteps(body, limits, share),
        atOnce: () => decoder.decodeBatch(body, share),
        decoded: (streams) => decodedRows(topic, streams, body.length),
      });
    },

    async eventData(call, body) {
      checkStream(call);
      const { topic, streamId, share } = call;
      return write(call, body, {
        *steps() {
          const events = yield* eventSteps(body, limits, share);
          return { events, rows: yield* eventRowsSteps(events) };
        },
        decoded: ({ events, rows }) => decodedEvents(topic, streamId, events, body.length, rows),
      });
    },

    async eventValue(call, eventId, body, timestamp, contentType) {
      checkStream(call);
      const id = nameOf(eventId, 'eventId');
      const { topic, streamId } = call;
      return write(call, body, {
        atOnce: () => {
          const value = decodeEventValue(body, limits, contentType);
          return [{ id, timestamp: timestamp ?? nextTime(), value, tags: noTags }];
        },
        decoded: (events) => decodedEvents(topic, streamId, events, body.length),
      });
    },

    lines: writeLines(write, limits, nextTime),

    series,
    fittingSeries: writeFittingSeries(series),

    async updateParameters(call, body) {
      checkStream(call);
      await write(call, body, {
        steps: () => parameterDefinitionSteps(body, limits, call.share),
        decoded: (definitions) =>
          decodedStatement(call, { type: 'parameterDefinitions', definitions }, body.length),
      });
    },

    async updateEvents(call, body) {
      checkStream(call);
      await write(call, body, {
        steps: () => eventDefinitionSteps(body, limits, call.share),
        decoded: (definitions) =>
          decodedStatement(call, { type: 'eventDefinitions', definitions }, body.length),
      });
    },

    async createStream(call, body) {
      const topic = nameOf(call.topic, 'topic');
      let id = '';
      await write(call, body, {
        atOnce: () => decodeCreateStream(body, limits, call.share),
        decoded({ streamId = randomUUID(), properties }) {
          id = streamId;
          return decodedStream(topic, streamId, properties, body.length);
        },
      });
      return id;
    },

    async updateStream(call, body) {
      checkStream(call);
      await write(call, body, {
        atOnce: () => decodeStreamProperties(body, limits, call.share),
        decoded: (properties) => decodedStream(call.topic, call.streamId, properties, body.length),
      });
    },

    async closeStream(call, body) {
      const { workspace, topic, streamId, share } = call;
      const endType = decodeCloseStream(body, share);
      // Asked before `write`, which must not wait later. A stream that is deleted meanwhile stays deleted.
      if (!(await store.catalog.hasStream(workspace, topic, streamId))) {
        throw new PitwallError('stream_not_found', {
          detail: `there is no stream '${streamId}' in the topic '${topic}'`,
        });
      }
      await write(call, body, {
        atOnce: () => endType,
        decoded: () => decodedStatement(call, { type: 'close', endType }, body.length),
      });
    },

    async updateTopic(call, body) {
      const topic = nameOf(call.topic, 'topic');
      await write(call, body, {
        atOnce: () => decodeTopicSettings(body, call.share),
        decoded: ({ retention }) => decodedTopic(topic, retention),
      });
    },

    settled,
    silence: commitSilence,
    changeStreams: (workspace, action, filter) => changeStreams(workspace, action, filter, now()),
  };
}
