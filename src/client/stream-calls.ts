import { endOf, expiredIn, has } from './answers.ts';
import { jsonRequests } from './json-requests.ts';
import type {
  EndType,
  EventDefinition,
  NewEvent,
  NewParameterData,
  ParameterDefinition,
  StreamFilter,
  StreamProperties,
} from './models.ts';
import { encodeParameterData } from './parameter-data.ts';
import { streamPath, topicPath } from './paths.ts';
import type { RequestOptions, Transport } from './transport.ts';

/** Calls that make and change streams, and write to them. */
export interface StreamCalls {
  createStream(
    topic: string,
    properties?: StreamProperties & { readonly streamId?: string },
    options?: RequestOptions,
  ): Promise<string>;
  /** Replaces all properties. */
  updateStream(
    topic: string,
    streamId: string,
    properties: StreamProperties,
    options?: RequestOptions,
  ): Promise<void>;
  closeStream(topic: string, streamId: string, endType?: EndType, options?: RequestOptions): Promise<void>;
  /** Puts streams into the bin; gives how many. A write to one of them, or `restoreStreams`, brings it back. */
  deleteStreams(filter: StreamFilter, options?: RequestOptions): Promise<number>;
  /** Brings streams back from the bin; gives how many. */
  restoreStreams(filter: StreamFilter, options?: RequestOptions): Promise<number>;
  /** Gives how many of the rows are older than the retention of the topic: they are not kept. */
  writeParameterData(
    topic: string,
    streamId: string,
    data: NewParameterData,
    options?: RequestOptions,
  ): Promise<number>;
  /** Gives the same of events. */
  writeEvents(
    topic: string,
    streamId: string,
    events: readonly NewEvent[],
    options?: RequestOptions,
  ): Promise<number>;
  defineParameters(
    topic: string,
    streamId: string,
    definitions: readonly ParameterDefinition[],
    options?: RequestOptions,
  ): Promise<void>;
  defineEvents(
    topic: string,
    streamId: string,
    definitions: readonly EventDefinition[],
    options?: RequestOptions,
  ): Promise<void>;
}

export function streamCalls(transport: Transport): StreamCalls {
  const { change, write } = jsonRequests(transport);
  const writeData = async (path: string, body: unknown, options?: RequestOptions): Promise<number> => {
    const response = await transport.send('POST', path, body, options);
    await endOf(response);
    return expiredIn(response);
  };
  /** Changes what a filter selects, and gives how many, as the answer's `count` says. */
  const changeStreams = async <Count extends string>(
    count: Count,
    path: string,
    filter: StreamFilter,
    options?: RequestOptions,
  ): Promise<number> =>
    (await change<Record<Count, number>>('POST', path, filter, has(count), options))[count];

  return {
    async createStream(topic, properties = {}, options) {
      // With an id of the client's a repeated request is the same stream.
      const body = { ...properties, streamId: properties.streamId ?? newId() };
      await change('POST', `${topicPath(topic)}/streams`, body, has('streamId'), options);
      return body.streamId;
    },
    updateStream: async (topic, streamId, properties, options) =>
      write('PUT', streamPath(topic, streamId), properties, options),
    closeStream: async (topic, streamId, endType, options) =>
      write(
        'POST',
        `${streamPath(topic, streamId)}/close`,
        endType === undefined ? {} : { endType },
        options,
      ),
    deleteStreams: (filter, options) => changeStreams('deleted', '/streams/delete', filter, options),
    restoreStreams: (filter, options) => changeStreams('restored', '/streams/restore', filter, options),
    writeParameterData: async (topic, streamId, data, options) =>
      writeData(`${streamPath(topic, streamId)}/parameters/data`, encodeParameterData(data), options),
    writeEvents: async (topic, streamId, events, options) =>
      writeData(`${streamPath(topic, streamId)}/events/data`, events, options),
    defineParameters: async (topic, streamId, definitions, options) =>
      write('PUT', `${streamPath(topic, streamId)}/parameters`, definitions, options),
    defineEvents: async (topic, streamId, definitions, options) =>
      write('PUT', `${streamPath(topic, streamId)}/events`, definitions, options),
  };
}

/** Returns a random UUID. A browser has `crypto.randomUUID` on pages with TLS, and of the same machine, alone. */
function newId(): string {
  const { randomUUID } = crypto as { readonly randomUUID?: () => string };
  if (randomUUID !== undefined) return randomUUID.call(crypto);
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
