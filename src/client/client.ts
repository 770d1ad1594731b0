import { createLive, type Live, type LiveOptions } from './live.ts';
import type {
  EndType,
  EventDataQuery,
  EventDefinition,
  EventFilter,
  EventRow,
  NewEvent,
  NewParameterData,
  ParameterData,
  ParameterDataQuery,
  ParameterDefinition,
  ParameterFilter,
  ParameterInfo,
  RowSelection,
  StreamFilter,
  StreamInfo,
  StreamProperties,
  TopicInfo,
} from './models.ts';
import { decodeParameterData, encodeParameterData, type WireParameterData } from './parameter-data.ts';
import { type ClientOptions, createTransport, type RequestOptions } from './transport.ts';
import { createWriter, type Writer, type WriterOptions } from './writer.ts';

export type { Retry } from './backoff.ts';
export type * from './live.ts';
export { TooSlow } from './live-queue.ts';
export type * from './models.ts';
export { RequestError, type RequestFault } from './request-error.ts';
export type { ClientOptions, RequestOptions } from './transport.ts';
export {
  BufferFull,
  type Row,
  RowsRejected,
  type WhenFull,
  type Writer,
  type WriterOptions,
} from './writer.ts';

/** One page of a read, and where the next one begins; undefined after the last. */
export interface Page {
  readonly data: ParameterData;
  readonly nextCursor: string | undefined;
}

/**
 * A client of the service over HTTP. Methods reject with RequestError where the service refuses, and try again by
 * themselves where it is in trouble: every call is safe to repeat.
 */
export interface Client {
  readonly url: string;
  streams(filter?: StreamFilter, options?: RequestOptions): Promise<StreamInfo[]>;
  topics(options?: RequestOptions): Promise<TopicInfo[]>;
  parameters(filter?: ParameterFilter, options?: RequestOptions): Promise<ParameterInfo[]>;
  events(
    filter?: EventFilter,
    options?: RequestOptions,
  ): Promise<(EventDefinition & { streamIds: string[] })[]>;
  tagValues(
    tag: string,
    selection?: Omit<RowSelection, 'tagFilters'>,
    options?: RequestOptions,
  ): Promise<string[]>;
  /** All rows of an answer, within the service's byte budget for one. */
  query(query: ParameterDataQuery, options?: RequestOptions): Promise<ParameterData>;
  /** The first `limit` rows, and a cursor for the next. */
  page(query: ParameterDataQuery & { readonly limit: number }, options?: RequestOptions): Promise<Page>;
  /** An answer of any size, page by page. */
  pages(
    query: ParameterDataQuery,
    pageRows?: number,
    options?: RequestOptions,
  ): AsyncGenerator<ParameterData>;
  /** The answer in another form (`text/csv`, `application/vnd.apache.parquet`, …), as it comes. */
  download(query: ParameterDataQuery, accept: string, options?: RequestOptions): Promise<Response>;
  eventData(query: EventDataQuery, options?: RequestOptions): Promise<Record<string, EventRow[]>>;

  createStream(
    topic: string,
    properties?: StreamProperties & { readonly streamId?: string },
  ): Promise<string>;
  /** Replaces all properties. */
  updateStream(topic: string, streamId: string, properties: StreamProperties): Promise<void>;
  closeStream(topic: string, streamId: string, endType?: EndType): Promise<void>;
  writeParameterData(topic: string, streamId: string, data: NewParameterData): Promise<void>;
  writeEvents(topic: string, streamId: string, events: readonly NewEvent[]): Promise<void>;
  defineParameters(
    topic: string,
    streamId: string,
    definitions: readonly ParameterDefinition[],
  ): Promise<void>;
  defineEvents(topic: string, streamId: string, definitions: readonly EventDefinition[]): Promise<void>;
  /** A writer that gathers single rows to requests. */
  writer(topic: string, options?: WriterOptions): Writer;
  /** Live data through the hub; needs the package `@microsoft/signalr`. */
  live(options?: LiveOptions): Live;
}

const defaultPageRows = 50_000;

export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options);

  const read = async <Answer>(path: string, body: unknown, request?: RequestOptions): Promise<Answer> => {
    const response = await transport.send('POST', `${path}?int64=string`, body, request);
    return (await response.json()) as Answer;
  };
  const write = async (method: string, path: string, body: unknown): Promise<void> => {
    const response = await transport.send(method, path, body);
    await response.arrayBuffer();
  };
  const streamPath = (topic: string, streamId: string) =>
    `/topics/${encodeURIComponent(topic)}/streams/${encodeURIComponent(streamId)}`;

  const readPage = async (query: ParameterDataQuery, request?: RequestOptions): Promise<Page> => {
    const response = await transport.send('POST', '/parameters/data?int64=string', query, request);
    const nextCursor = response.headers.get('pitwall-next-cursor') ?? undefined;
    return { data: decodeParameterData((await response.json()) as WireParameterData), nextCursor };
  };

  return {
    url: transport.url,
    async streams(filter = {}, request) {
      const found = await read<(StreamInfo & WireExtent)[]>('/streams', filter, request);
      return found.map(withExtent);
    },
    async topics(request) {
      const found = await read<(TopicInfo & WireExtent)[]>('/topics', {}, request);
      return found.map(withExtent);
    },
    parameters: (filter = {}, request) => read('/parameters', filter, request),
    events: (filter = {}, request) => read('/events', filter, request),
    tagValues: (tag, selection = {}, request) => read('/tags/values', { tag, ...selection }, request),
    query: async (query, request) => (await readPage(query, request)).data,
    page: readPage,
    async *pages(query, pageRows = defaultPageRows, request) {
      let left = query.limit ?? Number.POSITIVE_INFINITY;
      let cursor = query.cursor;
      while (left > 0) {
        const limit = Math.min(left, pageRows);
        const { data, nextCursor } = await readPage({ ...query, limit, ...(cursor && { cursor }) }, request);
        if (data.timestamps.length > 0) yield data;
        if (nextCursor === undefined) return;
        left -= data.timestamps.length;
        cursor = nextCursor;
      }
    },
    download: (query, accept, request) =>
      transport.send('POST', '/parameters/data', query, { ...request, accept }),
    async eventData(query, request) {
      const { data } = await read<{ data: Record<string, WireEvent[]> }>('/events/data', query, request);
      const rows = (events: readonly WireEvent[]) =>
        events.map((event) => ({ ...event, timestamp: BigInt(event.timestamp) }));
      return Object.fromEntries(Object.entries(data).map(([id, events]) => [id, rows(events)]));
    },

    async createStream(topic, properties = {}) {
      // With an id of the client's a repeated request is the same stream.
      const body = { streamId: crypto.randomUUID(), ...properties };
      await write('POST', `/topics/${encodeURIComponent(topic)}/streams`, body);
      return body.streamId;
    },
    updateStream: (topic, streamId, properties) => write('PUT', streamPath(topic, streamId), properties),
    closeStream: (topic, streamId, endType) =>
      write('POST', `${streamPath(topic, streamId)}/close`, endType === undefined ? {} : { endType }),
    writeParameterData: (topic, streamId, data) =>
      write('POST', `${streamPath(topic, streamId)}/parameters/data`, encodeParameterData(data)),
    writeEvents: (topic, streamId, events) =>
      write('POST', `${streamPath(topic, streamId)}/events/data`, events),
    defineParameters: (topic, streamId, definitions) =>
      write('PUT', `${streamPath(topic, streamId)}/parameters`, definitions),
    defineEvents: (topic, streamId, definitions) =>
      write('PUT', `${streamPath(topic, streamId)}/events`, definitions),
    writer: (topic, settings) => createWriter(transport, topic, settings),
    live: (settings) => createLive(transport, settings),
  };
}

interface WireExtent {
  readonly dataStart?: string | bigint;
  readonly dataEnd?: string | bigint;
}

interface WireEvent extends Omit<EventRow, 'timestamp'> {
  readonly timestamp: string;
}

/** The extent of data as bigints. */
function withExtent<Item extends WireExtent>(item: Item): Item & { dataStart?: bigint; dataEnd?: bigint } {
  const { dataStart, dataEnd } = item;
  return {
    ...item,
    ...(dataStart !== undefined && { dataStart: BigInt(dataStart) }),
    ...(dataEnd !== undefined && { dataEnd: BigInt(dataEnd) }),
  } as Item & { dataStart?: bigint; dataEnd?: bigint };
}
