import { Kind, type ParameterKey } from '../../domain/parameter-data.ts';
import type {
  Aggregation,
  Direction,
  ParameterDataQuery,
  TagFilter,
  TimeBuckets,
} from '../../domain/query.ts';
import type { ResultShape } from '../../domain/result.ts';
import { maxTimestamp, minTimestamp } from '../../domain/timestamp.ts';
import { PitwallError } from '../../errors.ts';
import type { CalculatingQuery } from '../../expression/calculation.ts';
import type { ValuesBefore } from '../groups/values-before.ts';
import { type Calculated, calculatedKeys, planCalculated } from './calculated.ts';
import { decodeCursor, decodeGroupCursor, type GroupPosition, type Position } from './cursor.ts';
import { checkTagFilters } from './tag-predicate.ts';
import { checkBuckets } from './time-buckets.ts';

/** Which rows a plan is about. */
export interface Selection {
  readonly workspace: string;
  /** Exact ids, or undefined for every stream of the workspace (and topic). */
  readonly streamIds: readonly string[] | undefined;
  readonly topic: string | undefined;
  /** Nanoseconds, both inclusive. */
  readonly from: bigint;
  readonly to: bigint;
  /** All of them must hold; empty means every row. Patterns are valid. */
  readonly tagFilters: readonly TagFilter[];
}

/**
 * A read of rows as they were written. Rows are the union over the parameters, ordered by time, then stream id,
 * then topic, then tag set; `Desc` turns the whole order round.
 */
export interface ReadPlan extends Selection {
  /** Distinct; blocks have their columns in this order. */
  readonly parameters: readonly ParameterKey[];
  /** Where it is there, blocks have the columns of `calculatedKeys` instead, and rows without any of these are not there. */
  readonly calculated?: Calculated;
  readonly order: Direction;
  /** The maximum number of rows; undefined means all. */
  readonly limit: number | undefined;
  /** Only rows after this one in the order. */
  readonly after: Position | undefined;
  /**
   * The rows of the page that is wanted: as a rule no more are read. Where functions run along rows a block ends with the last
   * one of these, and may tell what they remember there.
   */
  readonly pageRows?: number;
  /**
   * Rows may come stream by stream, and of a stream parameter by parameter, those of each in their order: for whoever gathers
   * them so. A row may come more than once, with other parameters. A store may merge them all the same. Only for reads of all
   * rows.
   */
  readonly streamsApart?: true;
}

/**
 * A read of aggregated rows: one per group, or one per group and bucket. Rows are ordered by time, then the values
 * of `groupBy` one by one (a missing value first, text by code unit); `Desc` turns the whole order round.
 */
export interface AggregatePlan extends Selection {
  /** Whether the query itself has `from` and `to`: with interpolation they say where the buckets begin and end. */
  readonly hasFrom: boolean;
  readonly hasTo: boolean;
  /** Distinct parameters that are read. */
  readonly parameters: readonly ParameterKey[];
  /** What is calculated from them, row by row, before anything is aggregated. */
  readonly calculated?: Calculated;
  /** Distinct; blocks have their columns in this order. */
  readonly columns: readonly AggregateColumn[];
  /** Distinct. */
  readonly groupBy: readonly string[];
  /** Undefined: each group is one row, at `from` or, where the query has none, at its first row. */
  readonly buckets: TimeBuckets | undefined;
  /** Where buckets look back: what there was before `from`. */
  readonly before?: ValuesBefore;
  readonly order: Direction;
  readonly limit: number | undefined;
  /** Only rows after this one in the order. */
  readonly after: GroupPosition | undefined;
}

export interface AggregateColumn {
  /** Index into `parameters`; where the plan calculates, into `calculatedKeys`. */
  readonly parameter: number;
  readonly aggregation: Exclude<Aggregation, 'None'>;
  /** As the answer names it: `mean(Speed)`. */
  readonly name: string;
  /** Of the result: a count is numeric. */
  readonly kind: Kind;
}

/**
 * Plans a query whose parameters are either all raw or all aggregated. Throws `bad_pattern`, `too_many_buckets`, and
 * `invalid_value` for a cursor of another query and for two columns of one name.
 */
export function planQuery(workspace: string, query: CalculatingQuery): ReadPlan | AggregatePlan {
  const { parameters, calculated = [] } = query;
  return [...parameters, ...calculated].some(({ aggregation }) => aggregation !== 'None')
    ? planAggregate(workspace, query)
    : planRead(workspace, query);
}

export function isAggregate(plan: ReadPlan | AggregatePlan): plan is AggregatePlan {
  return 'columns' in plan;
}

/** The columns and tags of the answer to a plan. */
export function shapeOf(plan: ReadPlan | AggregatePlan, groupBy: readonly string[]): ResultShape {
  return { columns: isAggregate(plan) ? plan.columns : calculatedKeys(plan), groupBy };
}

export function planRead(workspace: string, query: CalculatingQuery): ReadPlan {
  const { streamIds, topic, from, to, tagFilters } = select(workspace, query);
  return {
    workspace,
    streamIds,
    topic,
    from,
    to,
    tagFilters,
    ...readBy(query),
    order: query.order ?? 'Asc',
    limit: query.limit,
    after: query.cursor === undefined ? undefined : decodeCursor(query.cursor),
  };
}

function planAggregate(workspace: string, query: CalculatingQuery): AggregatePlan {
  const selection = select(workspace, query);
  const { from, to, groupByTime: buckets, groupBy = [] } = query;
  if (buckets !== undefined && from !== undefined && to !== undefined) checkBuckets(buckets, from, to);
  const read = readBy(query);
  // Each property by its name: a small query would spend a tenth of its time on spreading the selection.
  return {
    workspace,
    streamIds: selection.streamIds,
    topic: selection.topic,
    from: selection.from,
    to: selection.to,
    tagFilters: selection.tagFilters,
    hasFrom: from !== undefined,
    hasTo: to !== undefined,
    ...read,
    columns: columnsOf(query, read),
    groupBy,
    buckets,
    order: query.order ?? 'Asc',
    limit: query.limit,
    after: query.cursor === undefined ? undefined : decodeGroupCursor(query.cursor, groupBy.length),
  };
}

function select(workspace: string, query: ParameterDataQuery): Selection {
  const tagFilters = query.tagFilters ?? [];
  checkTagFilters(tagFilters);
  return {
    workspace,
    streamIds: query.streamIds,
    topic: query.topic,
    from: query.from ?? minTimestamp,
    to: query.to ?? maxTimestamp,
    tagFilters,
  };
}

/** What a query reads, and has calculated from it. */
function readBy({ parameters, calculated }: CalculatingQuery): Pick<ReadPlan, 'parameters' | 'calculated'> {
  const requested = distinct(parameters);
  return calculated === undefined ? { parameters: requested } : planCalculated(requested, calculated);
}

function distinct(asked: readonly ParameterKey[]): ParameterKey[] {
  const found = new Map<string, ParameterKey>();
  for (const { kind, name } of asked) found.set(keyOf(kind, name), { kind, name });
  return [...found.values()];
}

function keyOf(kind: Kind, name: string): string {
  return `${kind}:${name}`;
}

function columnsOf(
  query: CalculatingQuery,
  { parameters, calculated }: Pick<ReadPlan, 'parameters' | 'calculated'>,
): AggregateColumn[] {
  const places = new Map(parameters.map(({ kind, name }, i) => [keyOf(kind, name), i]));
  const columns = new Map<string, AggregateColumn>();
  for (const { kind, name, aggregation } of query.parameters) {
    if (aggregation === 'None') throw new Error('raw and aggregated parameters cannot be planned together');
    const column = {
      parameter: places.get(keyOf(kind, name))!,
      aggregation,
      name: `${aggregation.toLowerCase()}(${name})`,
      kind: aggregation === 'Count' ? Kind.Numeric : kind,
    };
    const key = keyOf(column.kind, column.name);
    const known = columns.get(key);
    if (known !== undefined && known.parameter !== column.parameter) throw sameName(column.name);
    columns.set(key, known ?? column);
  }
  for (const { name, expression, aggregation } of query.calculated ?? []) {
    if (aggregation === 'None') throw new Error('raw and aggregated parameters cannot be planned together');
    const place = calculated!.columns.findIndex((one) => one.name === name && one.expression === expression);
    const column = {
      parameter: calculated!.requested + place,
      aggregation,
      name: `${aggregation.toLowerCase()}(${name})`,
      kind: Kind.Numeric,
    };
    const key = keyOf(column.kind, column.name);
    const known = columns.get(key);
    if (known !== undefined && known.parameter !== column.parameter) throw sameName(column.name);
    columns.set(key, column);
  }
  return [...columns.values()];
}

/** Counts are numbers whatever they count, so the same name can stand for two. */
function sameName(name: string): PitwallError {
  return new PitwallError('invalid_value', {
    errors: [
      {
        path: '',
        message: `asks for two columns of the name ${JSON.stringify(name)}: counts of parameters of two kinds; ask for one at a time`,
      },
    ],
  });
}
