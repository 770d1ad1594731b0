import { randomUUID } from 'node:crypto';
import type { EventDefinition, ParameterDefinition } from '../domain/definition.ts';
import type { Rows } from '../domain/parameter-data.ts';
import type { StreamFilter } from '../domain/query.ts';
import { noTags } from '../domain/tags.ts';
import type { Warn } from '../domain/warning.ts';
import { PitwallError } from '../errors.ts';
import type { Metrics } from '../metrics.ts';
import type { Store, StreamsChange } from '../store/store.ts';
import {
  decodeEventDefinitions,
  decodeParameterDefinitions,
  eventDefinitionSteps,
  parameterDefinitionSteps,
} from '../wire/definition.ts';
import { decodeEvents, decodeEventValue, eventSteps } from '../wire/event-data.ts';
import type { MemoryShare } from '../wire/json-memory.ts';
import { checkName } from '../wire/name.ts';
import {
  createParameterDataDecoder,
  parameterDataBatchSteps,
  parameterDataSteps,
  type StreamRows,
} from '../wire/parameter-data.ts';
import type { PayloadLimits } from '../wire/payload-limits.ts';
import { decodeCloseStream, decodeCreateStream, decodeStreamProperties } from '../wire/stream-request.ts';
import { decodeTopicSettings } from '../wire/topic-settings.ts';
import type { Alerts } from './alerts/alerts.ts';
import { type Committer, createCommitter, type Live } from './commit.ts';
import { decodedEvents, decodedRows, decodedStatement, decodedStream, decodedTopic } from './decoded.ts';
import { waitForRoom } from './room.ts';
import { uniqueTime } from './unique-time.ts';
import { type WriteLines, writeLines } from './write-lines.ts';
import { isLong, writePath } from './write-path.ts';
import { type WriteSeries, writeSeries } from './write-series.ts';

/**
 * A write to one stream. What is made of the body counts against `share`; `signal` ends the decoding of a long body when the
 * client leaves.
 */
type StreamWrite<Result> = (
  workspace: string,
  topic: string,
  streamId: string,
  body: Uint8Array,
  share?: MemoryShare,
  signal?: () => AbortSignal,
  warn?: Warn,
) => Promise<Result>;

/**
 * Everything that writes, from the bytes of a request to the durable answer; HTTP and hub both come through here.
 * Each call resolves when its data is on disk and visible, and applies wholly or not at all; then it is published.
 * Bad input rejects with its own code (400), no room with `overloaded` (503), a workspace at its limit with
 * `too_many_streams` or `workspace_full` (403). Writes of rows resolve with the number of rows that were expired
 * already, and not kept. What is made of a body counts against `share`.
 *
 * Where a call takes a `signal` and gets one, a long body is decoded in slices: later calls may arrive before it, and it
 * rejects with the signal's reason when that aborts meanwhile.
 *
 * `warn` is told, before a call resolves, of times that were probably meant in another unit than nanoseconds, and of rows
 * that are further ahead of the clock than `aheadMs`, each once a stream; and of streams of which nothing was stored, for no row has a value.
 */
export interface Writer {
  readonly parameterData: StreamWrite<number>;
  parameterDataBatch(
    workspace: string,
    topic: string,
    body: Uint8Array,
    share?: MemoryShare,
    signal?: () => AbortSignal,
    warn?: Warn,
  ): Promise<number>;
  /** An array of events, or one. */
  readonly eventData: StreamWrite<number>;
  /** One event whose value is the body, as it is; without a `timestamp` (ns) it happens now. */
  eventValue(
    workspace: string,
    topic: string,
    streamId: string,
    eventId: string,
    body: Uint8Array,
    timestamp: bigint | undefined,
    warn?: Warn,
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
  /** Merges definitions of parameters into those of the stream. */
  readonly updateParameters: StreamWrite<void>;
  /** The same of events. */
  readonly updateEvents: StreamWrite<void>;
  /** Answers the stream's id: the client's, or a new UUID. */
  createStream(workspace: string, topic: string, body: Uint8Array, share?: MemoryShare): Promise<string>;
  readonly updateStream: StreamWrite<void>;
  /** `stream_not_found` (404) if there is none. */
  readonly closeStream: StreamWrite<void>;
  /** Replaces the settings of a topic, which comes into being if it does not exist. */
  updateTopic(workspace: string, topic: string, body: Uint8Array, share?: MemoryShare): Promise<void>;
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
  /** How far ahead of it rows may be. */
  readonly aheadMs: number;
}

export function createWriter(
  store: Store,
  limits: PayloadLimits,
  metrics: Metrics,
  live: Live,
  { now, aheadMs }: WriterClock,
  alerts?: Alerts,
): Writer {
  const decoder = createParameterDataDecoder(limits);
  const nextTime = uniqueTime(now);
  const { commit, changeStreams, commitSilence, settled } = createCommitter(store, live, undefined, alerts);
  const { write, writeLong, writeDecoded, writeEvents, ahead } = writePath(
    waitForRoom(store),
    commit,
    metrics,
    now,
    aheadMs,
  );

  const nameOf = (text: string, path: string): string => checkName(text, path, limits.maxNameBytes);

  const checkStream = (topic: string, streamId: string): void => {
    nameOf(topic, 'topic');
    nameOf(streamId, 'streamId');
  };

  return {
    async parameterData(workspace, topic, streamId, body, share, signal, warn) {
      checkStream(topic, streamId);
      const decoded = (rows: Rows[]) => decodedRows(topic, [{ streamId, rows }], body.length);
      return isLong(body, signal)
        ? writeLong(workspace, body, signal, () => parameterDataSteps(body, limits, share), decoded, warn)
        : write(workspace, body, () => decoded(decoder.decode(body, share)), warn);
    },

    async parameterDataBatch(workspace, topic, body, share, signal, warn) {
      nameOf(topic, 'topic');
      const decoded = (streams: readonly StreamRows[]) => decodedRows(topic, streams, body.length);
      return isLong(body, signal)
        ? writeLong(
            workspace,
            body,
            signal,
            () => parameterDataBatchSteps(body, limits, share),
            decoded,
            warn,
          )
        : write(workspace, body, () => decoded(decoder.decodeBatch(body, share)), warn);
    },

    async eventData(workspace, topic, streamId, body, share, signal, warn) {
      checkStream(topic, streamId);
      const decoding = ahead(body, signal, () => eventSteps(body, limits, share));
      if (decoding !== undefined) return writeEvents(workspace, topic, streamId, await decoding, body, warn);
      return write(
        workspace,
        body,
        () => decodedEvents(topic, streamId, decodeEvents(body, limits, share), body.length),
        warn,
      );
    },

    async eventValue(workspace, topic, streamId, eventId, body, timestamp, warn) {
      checkStream(topic, streamId);
      const id = nameOf(eventId, 'eventId');
      return write(
        workspace,
        body,
        () => {
          const value = decodeEventValue(body, limits);
          const event = { id, timestamp: timestamp ?? nextTime(), value, tags: noTags };
          return decodedEvents(topic, streamId, [event], body.length);
        },
        warn,
      );
    },

    lines: writeLines({ write, writeLong }, limits, nextTime),

    series: writeSeries({ write, writeLong }, store.catalog, now),

    async updateParameters(workspace, topic, streamId, body, share, signal) {
      checkStream(topic, streamId);
      const decoding = ahead(body, signal, () => parameterDefinitionSteps(body, limits, share));
      const list = decoding && (await decoding);
      const decoded = (definitions: ParameterDefinition[]) =>
        decodedStatement(topic, streamId, { type: 'parameterDefinitions', definitions }, body.length);
      if (list !== undefined) await writeDecoded(workspace, body, () => decoded(list));
      else await write(workspace, body, () => decoded(decodeParameterDefinitions(body, limits, share)));
    },

    async updateEvents(workspace, topic, streamId, body, share, signal) {
      checkStream(topic, streamId);
      const decoding = ahead(body, signal, () => eventDefinitionSteps(body, limits, share));
      const list = decoding && (await decoding);
      const decoded = (definitions: EventDefinition[]) =>
        decodedStatement(topic, streamId, { type: 'eventDefinitions', definitions }, body.length);
      if (list !== undefined) await writeDecoded(workspace, body, () => decoded(list));
      else await write(workspace, body, () => decoded(decodeEventDefinitions(body, limits, share)));
    },

    async createStream(workspace, topic, body, share) {
      nameOf(topic, 'topic');
      let id = '';
      await write(workspace, body, () => {
        const { streamId = randomUUID(), properties } = decodeCreateStream(body, limits, share);
        id = streamId;
        return decodedStream(topic, streamId, properties, body.length);
      });
      return id;
    },

    async updateStream(workspace, topic, streamId, body, share) {
      checkStream(topic, streamId);
      await write(workspace, body, () =>
        decodedStream(topic, streamId, decodeStreamProperties(body, limits, share), body.length),
      );
    },

    async closeStream(workspace, topic, streamId, body, share) {
      const endType = decodeCloseStream(body, share);
      // Asked before `write`, which must not wait later. A stream that is deleted meanwhile stays deleted.
      if (!(await store.catalog.hasStream(workspace, topic, streamId))) {
        throw new PitwallError('stream_not_found', {
          detail: `there is no stream '${streamId}' in the topic '${topic}'`,
        });
      }
      await write(workspace, body, () =>
        decodedStatement(topic, streamId, { type: 'close', endType }, body.length),
      );
    },

    async updateTopic(workspace, topic, body, share) {
      nameOf(topic, 'topic');
      await write(workspace, body, () => decodedTopic(topic, decodeTopicSettings(body, share).retention));
    },

    settled,
    silence: commitSilence,
    changeStreams: (workspace, action, filter) => changeStreams(workspace, action, filter, now()),
  };
}
