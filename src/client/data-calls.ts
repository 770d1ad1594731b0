import type { Alert, AlertChange, AlertFilter, AlertRule, AlertRuleInfo, AlertTest } from './alert-models.ts';
import type {
  CalculatedDefinition,
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
  TagInfo,
  TopicInfo,
} from './models.ts';
import type { RequestOptions } from './transport.ts';

/** One page of a read, and where the next one begins; undefined after the last. */
export interface Page {
  readonly data: ParameterData;
  readonly nextCursor: string | undefined;
}

/** Calls that read and write data and what is said of it, and rules and calculated parameters of topics. */
export interface DataCalls {
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
  /** What fires now, and rules that could not be evaluated. */
  alerts(filter?: AlertFilter, options?: RequestOptions): Promise<Alert[]>;
  /** What a rule would have said of stored rows, in order of time. */
  testAlertRule(
    topic: string,
    name: string,
    test: AlertTest,
    options?: RequestOptions,
  ): Promise<AlertChange[]>;
  alertRules(topic: string, options?: RequestOptions): Promise<AlertRuleInfo[]>;

  createStream(
    topic: string,
    properties?: StreamProperties & { readonly streamId?: string },
  ): Promise<string>;
  /** Replaces all properties. */
  updateStream(topic: string, streamId: string, properties: StreamProperties): Promise<void>;
  closeStream(topic: string, streamId: string, endType?: EndType): Promise<void>;
  /** Puts streams into the bin; gives how many. A write to one of them, or `restoreStreams`, brings it back. */
  deleteStreams(filter: StreamFilter): Promise<number>;
  /** Brings streams back from the bin; gives how many. */
  restoreStreams(filter: StreamFilter): Promise<number>;
  writeParameterData(topic: string, streamId: string, data: NewParameterData): Promise<void>;
  writeEvents(topic: string, streamId: string, events: readonly NewEvent[]): Promise<void>;
  defineParameters(
    topic: string,
    streamId: string,
    definitions: readonly ParameterDefinition[],
  ): Promise<void>;
  defineEvents(topic: string, streamId: string, definitions: readonly EventDefinition[]): Promise<void>;
  /** The calculated parameters that a topic keeps, in order of id. */
  calculated(topic: string, options?: RequestOptions): Promise<CalculatedDefinition[]>;
  /** Merges calculated parameters into those of a topic. */
  defineCalculated(topic: string, definitions: readonly CalculatedDefinition[]): Promise<void>;
  removeCalculated(topic: string, id: string): Promise<void>;
  /** Makes an alert rule, or replaces it; needs the scope admin, as the other calls of rules do. */
  putAlertRule(topic: string, name: string, rule: AlertRule): Promise<void>;
  removeAlertRule(topic: string, name: string): Promise<void>;
}
