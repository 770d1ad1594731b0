import type { Alert, AlertChange, AlertRuleInfo } from './alert-models.ts';
import { contentOf, endOf, has } from './answers.ts';
import type { DataCalls, Page } from './data-calls.ts';
import { createLive, type Live, type LiveOptions } from './live.ts';
import type { CalculatedDefinition, EventRow, ParameterDataQuery, StreamInfo, TopicInfo } from './models.ts';
import { decodeParameterData, encodeParameterData, type WireParameterData } from './parameter-data.ts';
import type { ReplayOptions, ReplayResult } from './replay/replay-options.ts';
import { type ClientOptions, createTransport, type RequestOptions } from './transport.ts';
import { type ViewCalls, viewCalls } from './views.ts';
import { createWriter, type Writer, type WriterOptions } from './writer.ts';

export type * from './alert-models.ts';
export type { Retry } from './backoff.ts';
export type { Page } from './data-calls.ts';
export type * from './live.ts';
export { TooSlow } from './live-queue.ts';
export type * from './models.ts';
export type {
  ReplayOptions,
  ReplayProgress,
  ReplayResult,
  ReplayTimes,
} from './replay/replay-options.ts';
export { RequestError, type RequestFault } from './request-error.ts';
export type { ClientOptions, RequestOptions } from './transport.ts';
export type * from './views.ts';
export {
  BufferFull,
  type Row,
  RowsRejected,
  type WhenFull,
  type Writer,
  type WriterOptions,
} from './writer.ts';

/**
 * A client of the service over HTTP. Methods reject with RequestError where the service refuses, and try again by
 * themselves where it is in trouble: every call is safe to repeat.
 */
export interface Client extends DataCalls, ViewCalls {
  readonly url: string;
  /** A writer that gathers single rows to requests. */
  writer(topic: string, options?: WriterOptions): Writer;
  /**
   * Writes rows and events of a stream to another one at the pace of their times, so that readers of live data see them.
   * Resolves when the source is at its end, or `signal` has aborted; the target is closed then.
   */
  replay(options: ReplayOptions): Promise<ReplayResult>;
  /** Live data through the hub; needs the package `@microsoft/signalr`. */
  live(options?: LiveOptions): Live;
}

const defaultPageRows = 50_000;

export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options);

  const read = async <Answer>(
    path: string,
    body: unknown,
    request?: RequestOptions,
    isExpected: (answer: object) => boolean = Array.isArray,
  ): Promise<Answer> =>
    contentOf(await transport.send('POST', `${path}?int64=string`, body, request), isExpected);
  const write = async (method: string, path: string, body: unknown): Promise<void> => {
    await endOf(await transport.send(method, path, body));
  };
  const streamPath = (topic: string, streamId: string) =>
    `/topics/${encodeURIComponent(topic)}/streams/${encodeURIComponent(streamId)}`;

  const calculatedPath = (topic: string) => `/topics/${encodeURIComponent(topic)}/calculated`;
  const alertPath = (topic: string, name: string) =>
    `/topics/${encodeURIComponent(topic)}/alerts/${encodeURIComponent(name)}`;

  const readPage = async (query: ParameterDataQuery, request?: RequestOptions): Promise<Page> => {
    const response = await transport.send('POST', '/parameters/data?int64=string', query, request);
    const nextCursor = response.headers.get('pitwall-next-cursor') ?? undefined;
    const data = await contentOf<WireParameterData>(response, isParameterData);
    return { data: decodeParameterData(data), nextCursor };
  };

  const client: Client = {
    ...viewCalls(transport),
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
    tagNames: (selection = {}, request) => read('/tags', selection, request),
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
      const { data } = await read<{ data: Record<string, WireEvent[]> }>(
        '/events/data',
        query,
        request,
        has('data'),
      );
      const rows = (events: readonly WireEvent[]) =>
        events.map((event) => ({ ...event, timestamp: BigInt(event.timestamp) }));
      return Object.fromEntries(Object.entries(data).map(([id, events]) => [id, rows(events)]));
    },

    async alerts(filter = {}, request) {
      return (await read<(Alert & WireTime)[]>('/alerts', filter, request)).map(withTime);
    },
    async testAlertRule(topic, name, test, request) {
      const path = `${alertPath(topic, name)}/test`;
      return (await read<(AlertChange & WireTime)[]>(path, test, request)).map(withTime);
    },
    async alertRules(topic, request) {
      const path = `/topics/${encodeURIComponent(topic)}/alerts`;
      const response = await transport.send('GET', path, undefined, request);
      return contentOf<AlertRuleInfo[]>(response, Array.isArray);
    },

    async createStream(topic, properties = {}) {
      // With an id of the client's a repeated request is the same stream.
      const body = { streamId: crypto.randomUUID(), ...properties };
      const path = `/topics/${encodeURIComponent(topic)}/streams`;
      await contentOf(await transport.send('POST', path, body), has('streamId'));
      return body.streamId;
    },
    updateStream: (topic, streamId, properties) => write('PUT', streamPath(topic, streamId), properties),
    closeStream: (topic, streamId, endType) =>
      write('POST', `${streamPath(topic, streamId)}/close`, endType === undefined ? {} : { endType }),
    async deleteStreams(filter) {
      const response = await transport.send('POST', '/streams/delete', filter);
      return (await contentOf<{ deleted: number }>(response, has('deleted'))).deleted;
    },
    async restoreStreams(filter) {
      const response = await transport.send('POST', '/streams/restore', filter);
      return (await contentOf<{ restored: number }>(response, has('restored'))).restored;
    },
    writeParameterData: (topic, streamId, data) =>
      write('POST', `${streamPath(topic, streamId)}/parameters/data`, encodeParameterData(data)),
    writeEvents: (topic, streamId, events) =>
      write('POST', `${streamPath(topic, streamId)}/events/data`, events),
    defineParameters: (topic, streamId, definitions) =>
      write('PUT', `${streamPath(topic, streamId)}/parameters`, definitions),
    defineEvents: (topic, streamId, definitions) =>
      write('PUT', `${streamPath(topic, streamId)}/events`, definitions),
    async calculated(topic, request) {
      const response = await transport.send('GET', calculatedPath(topic), undefined, request);
      return contentOf<CalculatedDefinition[]>(response, Array.isArray);
    },
    defineCalculated: (topic, definitions) => write('PUT', calculatedPath(topic), definitions),
    removeCalculated: (topic, id) =>
      write('DELETE', `${calculatedPath(topic)}/${encodeURIComponent(id)}`, undefined),
    async putAlertRule(topic, name, rule) {
      await contentOf(await transport.send('PUT', alertPath(topic, name), rule), has('name', 'expression'));
    },
    removeAlertRule: (topic, name) => write('DELETE', alertPath(topic, name), undefined),
    writer: (topic, settings) => createWriter(transport, topic, settings),
    async replay(settings) {
      const { replay } = await import('./replay/replay.ts');
      return replay(client, settings);
    },
    live: (settings) => createLive(transport, settings),
  };
  return client;
}

const isParameterData = has('timestamps', 'numericValues');

interface WireExtent {
  readonly dataStart?: string | bigint;
  readonly dataEnd?: string | bigint;
}

interface WireEvent extends Omit<EventRow, 'timestamp'> {
  readonly timestamp: string;
}

interface WireTime {
  readonly timestamp?: string | bigint;
}

/** The time as a bigint, where there is one. */
function withTime<Item extends WireTime>(item: Item): Item & { timestamp: bigint } {
  const { timestamp } = item;
  return (timestamp === undefined ? item : { ...item, timestamp: BigInt(timestamp) }) as Item & {
    timestamp: bigint;
  };
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
