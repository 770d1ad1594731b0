import { randomUUID } from 'node:crypto';
import type { StreamFilter } from '../domain/query.ts';
import { noTags } from '../domain/tags.ts';
import { PitwallError } from '../errors.ts';
import type { Metrics } from '../metrics.ts';
import type { Store, StreamsChange } from '../store/store.ts';
import { noSteps, type Steps } from '../turns/steps.ts';
import { checkName } from '../wire/base/name.ts';
import { RoundedNumbers } from '../wire/json/rounded-numbers.ts';
import { decodeTopicSettings } from '../wire/requests/topic-settings.ts';
import { eventDefinitionSteps, parameterDefinitionSteps } from '../wire/rows/definition.ts';
import { decodeEventValue, eventSteps } from '../wire/rows/event-data.ts';
import {
  ParameterDataDecoder,
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
import {
  type Decoded,
  decodedEvents,
  decodedRows,
  decodedStatement,
  decodedStream,
  decodedTopic,
} from './decoded.ts';
import { eventRowsSteps } from './event-rows.ts';
import { replacedSteps } from './replaced-rows.ts';
import { uniqueTime } from './unique-time.ts';
import type { StreamCall, TopicCall, WriteCall, Written } from './write-call.ts';
import { LinesWriter } from './write-lines.ts';
import { isLong, WritePath, type WriterClock } from './write-path.ts';
import { SeriesWriter } from './write-series.ts';

/** An event whose value is a body, as it is. */
export interface EventValue {
  readonly body: Uint8Array;
  /** ns since the Unix epoch; without one it happens now. */
  readonly timestamp: bigint | undefined;
  readonly contentType: string | undefined;
}

/**
 * Everything that writes, from the bytes of a request to the durable answer; HTTP and hub both come through here.
 * Each call resolves when its data is on disk and visible, and applies wholly or not at all; then it is published.
 * Bad input rejects with its own code (400), no room with `overloaded` (503), a workspace at its limit with
 * `too_many_streams` or `workspace_full` (403).
 */
export class Writer {
  readonly lines: LinesWriter;
  readonly series: SeriesWriter;
  readonly #path;
  readonly #store;
  readonly #committer;
  readonly #limits;
  readonly #now;
  /** For bodies that are read in one turn. */
  readonly #decoder;
  readonly #nextTime;

  /** @param committer the way to the store, or to the log of replicas */
  constructor(
    store: Store,
    limits: PayloadLimits,
    metrics: Metrics,
    clock: WriterClock,
    committer: Committer,
  ) {
    this.#store = store;
    this.#committer = committer;
    this.#limits = limits;
    this.#now = clock.now;
    this.#path = new WritePath(store, committer, metrics, clock);
    this.#decoder = new ParameterDataDecoder(limits);
    this.#nextTime = uniqueTime(clock.wall);
    this.lines = new LinesWriter(this.#path, limits, this.#nextTime);
    this.series = new SeriesWriter(this.#path, store.catalog, clock.now);
  }

  parameterData(call: StreamCall, body: Uint8Array): Promise<Written> {
    return this.#path.write(call, body.length, this.#parameterData(call, body));
  }

  *#parameterData(call: StreamCall, body: Uint8Array): Steps<Decoded> {
    this.#checkStream(call);
    const { topic, streamId, share } = call;
    const rounded = this.#roundedOf(call, body);
    const rows = isLong(call, body.length)
      ? yield* parameterDataSteps(body, this.#limits, share, { rounded })
      : this.#decoder.decode(body, share);
    const streams = [{ streamId, rows }];
    return decodedRows(topic, streams, body.length, rounded, yield* replacedSteps(streams, share));
  }

  parameterDataBatch(call: TopicCall, body: Uint8Array): Promise<Written> {
    return this.#path.write(call, body.length, this.#parameterDataBatch(call, body));
  }

  *#parameterDataBatch(call: TopicCall, body: Uint8Array): Steps<Decoded> {
    const topic = this.#checkName(call.topic, 'topic');
    const rounded = this.#roundedOf(call, body);
    const streams = isLong(call, body.length)
      ? yield* parameterDataBatchSteps(body, this.#limits, call.share, { rounded })
      : this.#decoder.decodeBatch(body, call.share);
    const replaced = yield* replacedSteps(streams, call.share);
    return decodedRows(topic, streams, body.length, rounded, replaced);
  }

  /** Where the numbers that are rounded are counted: others are read between two steps of a long body. */
  #roundedOf(call: WriteCall, body: Uint8Array): RoundedNumbers {
    return isLong(call, body.length) ? new RoundedNumbers() : this.#decoder.rounded;
  }

  /** Writes an array of events, or one. */
  eventData(call: StreamCall, body: Uint8Array): Promise<Written> {
    return this.#path.write(call, body.length, this.#eventData(call, body));
  }

  *#eventData(call: StreamCall, body: Uint8Array): Steps<Decoded> {
    this.#checkStream(call);
    const events = yield* eventSteps(body, this.#limits, call.share);
    const rows = yield* eventRowsSteps(events);
    return decodedEvents(call.topic, call.streamId, events, body.length, rows);
  }

  eventValue(call: StreamCall, eventId: string, value: EventValue): Promise<Written> {
    return this.#path.write(call, value.body.length, this.#eventValue(call, eventId, value));
  }

  *#eventValue(
    call: StreamCall,
    eventId: string,
    { body, timestamp, contentType }: EventValue,
  ): Steps<Decoded> {
    this.#checkStream(call);
    const id = this.#checkName(eventId, 'eventId');
    const value = decodeEventValue(body, this.#limits, contentType);
    const event = { id, timestamp: timestamp ?? this.#nextTime(), value, tags: noTags };
    return decodedEvents(call.topic, call.streamId, [event], body.length);
  }

  /** Merges definitions of parameters into those of the stream. */
  async updateParameters(call: StreamCall, body: Uint8Array): Promise<void> {
    await this.#path.write(call, body.length, this.#parameterDefinitions(call, body));
  }

  *#parameterDefinitions(call: StreamCall, body: Uint8Array): Steps<Decoded> {
    this.#checkStream(call);
    const definitions = yield* parameterDefinitionSteps(body, this.#limits, call.share);
    return decodedStatement(call, { type: 'parameterDefinitions', definitions }, body.length);
  }

  /** Merges definitions of events into those of the stream. */
  async updateEvents(call: StreamCall, body: Uint8Array): Promise<void> {
    await this.#path.write(call, body.length, this.#eventDefinitions(call, body));
  }

  *#eventDefinitions(call: StreamCall, body: Uint8Array): Steps<Decoded> {
    this.#checkStream(call);
    const definitions = yield* eventDefinitionSteps(body, this.#limits, call.share);
    return decodedStatement(call, { type: 'eventDefinitions', definitions }, body.length);
  }

  /** Answers the stream's id: the client's, or a new UUID. */
  async createStream(call: TopicCall, body: Uint8Array): Promise<string> {
    const topic = this.#checkName(call.topic, 'topic');
    const { streamId = randomUUID(), properties } = decodeCreateStream(body, this.#limits, call.share);
    await this.#write(call, body, decodedStream(topic, streamId, properties, body.length));
    return streamId;
  }

  async updateStream(call: StreamCall, body: Uint8Array): Promise<void> {
    this.#checkStream(call);
    const properties = decodeStreamProperties(body, this.#limits, call.share);
    await this.#write(call, body, decodedStream(call.topic, call.streamId, properties, body.length));
  }

  /** Closes a stream; rejects with `stream_not_found` (404) if there is none. */
  async closeStream(call: StreamCall, body: Uint8Array): Promise<void> {
    const { workspace, topic, streamId, share } = call;
    const endType = decodeCloseStream(body, share);
    // Asked before the write, which must not wait later. A stream that is deleted meanwhile stays deleted.
    if (!(await this.#store.catalog.hasStream(workspace, topic, streamId))) {
      throw new PitwallError('stream_not_found', {
        detail: `there is no stream '${streamId}' in the topic '${topic}'`,
      });
    }
    await this.#write(call, body, decodedStatement(call, { type: 'close', endType }, body.length));
  }

  /** Replaces the settings of a topic, which comes into being if it does not exist. */
  async updateTopic(call: TopicCall, body: Uint8Array): Promise<void> {
    const topic = this.#checkName(call.topic, 'topic');
    const { retention } = decodeTopicSettings(body, call.share);
    await this.#write(call, body, decodedTopic(topic, retention));
  }

  /** Deletes or restores the streams that a filter selects; answers how many it changed. */
  changeStreams(workspace: string, action: StreamsChange['action'], filter: StreamFilter): Promise<number> {
    return this.#committer.changeStreams(workspace, action, filter, this.#now());
  }

  /** Resolves when all writes that are under way now have arrived or failed, and were published. */
  settled(): Promise<void> {
    return this.#committer.settled();
  }

  /** Writes what a short body says that was read before. */
  #write(call: TopicCall, body: Uint8Array, decoded: Decoded): Promise<Written> {
    return this.#path.write(call, body.length, noSteps(decoded));
  }

  #checkName(text: string, path: string): string {
    return checkName(text, path, this.#limits.maxNameBytes);
  }

  #checkStream({ topic, streamId }: StreamCall): void {
    this.#checkName(topic, 'topic');
    this.#checkName(streamId, 'streamId');
  }
}
