import type { ListedTag } from '../../domain/listing.ts';
import type { ResultBlock } from '../../domain/result.ts';
import type { CountRows } from '../../query/bounds/running-queries.ts';
import type { AggregatePlan, ReadPlan, Selection } from '../../query/plan/plan.ts';
import type { AnswerForm } from '../../wire/answers/answer-forms.ts';
import type { RowBlock } from '../row-block.ts';

/** What an answer is to be made of, and how. It is plain data: it can be sent to a thread. */
export type AnswerRequest = RowsRequest | EventsRequest | TagsRequest;

/** What is asked of tags; it is bound to the streams of one selection. */
export type TagsRequest = TagValuesRequest | TagNamesRequest;

/** Whether a request is about tags, not about rows. */
export function asksForTags(request: AnswerRequest): request is TagsRequest {
  return request.kind === 'tagValues' || request.kind === 'tagNames';
}

/** `/parameters/data`. */
export interface RowsRequest {
  readonly kind: 'rows';
  /** Where buckets look back, the second one reads what was before. */
  readonly plans: readonly [ReadPlan | AggregatePlan] | readonly [AggregatePlan, AggregatePlan];
  readonly groupBy: readonly string[];
  readonly form: AnswerForm;
  /** Timestamps of JSON as strings of digits. */
  readonly int64AsString: boolean;
  /** What the rows of a JSON answer may take, as columns in memory. */
  readonly maxBytes: number;
}

/** `/events/data`, in JSON. */
export interface EventsRequest {
  readonly kind: 'events';
  /** Each reads some of the events that follow one another. */
  readonly plans: readonly (ReadPlan | AggregatePlan)[];
  /** Of each plan: the place in `eventIds` of its first event. */
  readonly firsts: readonly number[];
  readonly eventIds: readonly string[];
  /** Whether events without rows stand in the answer. */
  readonly keepEmpty: boolean;
  /** Undefined: all tags. */
  readonly groupBy: readonly string[] | undefined;
  readonly int64AsString: boolean;
  /** What the answer may take. */
  readonly maxBytes: number;
}

/** `/tags/values`, in JSON. */
export interface TagValuesRequest {
  readonly kind: 'tagValues';
  readonly plans: readonly [Selection];
  readonly tag: string;
}

/** `/tags`, in JSON. */
export interface TagNamesRequest {
  readonly kind: 'tagNames';
  readonly plans: readonly [Selection];
}

/** What making an answer takes from, and tells, whoever asked for it. */
export interface AnswerTerms {
  /** Ends it with its reason. */
  readonly signal: AbortSignal;
  /** Who asks: no owner gets all threads for long. */
  readonly owner: string;
  /** Told of rows that the store goes through. */
  readonly countRows: CountRows;
  /** Told of rows that the answer has. */
  readonly countAnswered: CountRows;
  /** Takes memory for what is held until the answer has left; what it throws ends the answer. */
  readonly take: (bytes: number) => void;
}

export interface MadeAnswer {
  /** Memory of the receiver's; an empty one is a place to pause. */
  readonly chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Where the next page begins, if the limit cut the rows. */
  readonly nextCursor: string | undefined;
}

/** What answers are made from. */
export interface RowReader {
  /** @param place of the plan among those of the request */
  run(plan: ReadPlan, place: number): AsyncIterable<RowBlock>;
  aggregate(plan: AggregatePlan, place: number): AsyncIterable<ResultBlock>;
  tagValues(selection: Selection, tag: string): Promise<string[]>;
  tagNames(selection: Selection): Promise<ListedTag[]>;
}
