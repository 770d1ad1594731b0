import { contentOf, has } from './answers.ts';
import { jsonRequests } from './json-requests.ts';
import type {
  EventDataQuery,
  EventDefinition,
  EventFilter,
  EventRow,
  ParameterData,
  ParameterDataQuery,
  ParameterFilter,
  ParameterInfo,
  RowSelection,
  StreamFilter,
  StreamInfo,
  TagInfo,
  TopicInfo,
} from './models.ts';
import { decodeParameterData, type WireParameterData } from './parameter-data.ts';
import type { RequestOptions, Transport } from './transport.ts';

/** One page of a read, and where the next one begins; undefined after the last. */
export interface Page {
  readonly data: ParameterData;
  readonly nextCursor: string | undefined;
}

/** Calls that read data, and what there is. */
export interface ReadCalls {
  streams(filter?: StreamFilter, options?: RequestOptions): Promise<StreamInfo[]>;
  topics(options?: RequestOptions): Promise<TopicInfo[]>;
  parameters(filter?: ParameterFilter, options?: RequestOptions): Promise<ParameterInfo[]>;
  events(
    filter?: EventFilter,
    options?: RequestOptions,
  ): Promise<(EventDefinition & { streamIds: string[] })[]>;
  /** The tags of the selected rows, in order of text. */
  tagNames(selection?: Omit<RowSelection, 'tagFilters'>, options?: RequestOptions): Promise<TagInfo[]>;
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
}

const defaultPageRows = 50_000;

export function readCalls(transport: Transport): ReadCalls {
  const { read } = jsonRequests(transport);

  return {
    async streams(filter = {}, options) {
      const found = await read<(StreamInfo & WireExtent)[]>('/streams', filter, options);
      return found.map(withExtent);
    },
    async topics(options) {
      const found = await read<(TopicInfo & WireExtent)[]>('/topics', {}, options);
      return found.map(withExtent);
    },
    parameters: (filter = {}, options) => read('/parameters', filter, options),
    events: (filter = {}, options) => read('/events', filter, options),
    tagNames: (selection = {}, options) => read('/tags', selection, options),
    tagValues: (tag, selection = {}, options) => read('/tags/values', { tag, ...selection }, options),
    query: async (query, options) => (await readPage(transport, query, options)).data,
    page: (query, options) => readPage(transport, query, options),
    pages: (query, pageRows = defaultPageRows, options) => readPages(transport, query, pageRows, options),
    download: (query, accept, options) =>
      transport.send('POST', '/parameters/data', query, { ...options, accept }),
    async eventData(query, options) {
      const { data } = await read<{ data: Record<string, WireEvent[]> }>(
        '/events/data',
        query,
        options,
        has('data'),
      );
      return Object.fromEntries(Object.entries(data).map(([id, events]) => [id, events.map(eventRow)]));
    },
  };
}

async function readPage(
  transport: Transport,
  query: ParameterDataQuery,
  options: RequestOptions | undefined,
): Promise<Page> {
  const response = await transport.send('POST', '/parameters/data?int64=string', query, options);
  const nextCursor = response.headers.get('pitwall-next-cursor') ?? undefined;
  const data = await contentOf<WireParameterData>(response, has('timestamps', 'numericValues'));
  return { data: decodeParameterData(data), nextCursor };
}

/** Pages until the answer, or the query's limit, is at its end; no page is empty. */
async function* readPages(
  transport: Transport,
  query: ParameterDataQuery,
  pageRows: number,
  options: RequestOptions | undefined,
): AsyncGenerator<ParameterData> {
  let left = query.limit ?? Number.POSITIVE_INFINITY;
  let { cursor } = query;
  // The first is always asked for: a limit that makes no sense is the service's to refuse.
  do {
    const limit = Math.min(left, pageRows);
    const { data, nextCursor } = await readPage(
      transport,
      { ...query, limit, ...(cursor && { cursor }) },
      options,
    );
    if (data.timestamps.length > 0) yield data;
    if (nextCursor === undefined) return;
    left -= data.timestamps.length;
    cursor = nextCursor;
  } while (left > 0);
}

interface WireExtent {
  readonly dataStart?: string | bigint;
  readonly dataEnd?: string | bigint;
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

interface WireEvent extends Omit<EventRow, 'timestamp'> {
  readonly timestamp: string;
}

function eventRow(event: WireEvent): EventRow {
  return { ...event, timestamp: BigInt(event.timestamp) };
}
