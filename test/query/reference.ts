import { aggregate, type Cell, gap } from './reference-aggregates.ts';
import { bucketsOf, floorDivide, interpolate } from './reference-buckets.ts';
import { hasTags, type TagCondition } from './reference-tags.ts';

/**
 * What `/parameters/data` must answer, written from the contract alone (sections 4 and 9): plain rows and loops,
 * exact arithmetic, nothing shared with the service.
 */
export type ValueKind = 'numeric' | 'string' | 'binary';

export interface ReferenceRow {
  /** As the topic was first spelt. */
  readonly topic: string;
  readonly streamId: string;
  readonly timestamp: bigint;
  readonly tags: ReadonlyMap<string, string>;
  /** By `kind:name`; binaries as base64. */
  readonly values: ReadonlyMap<string, number | string>;
}

interface Parameter {
  readonly parameterName: string;
  readonly aggregationType?: string;
}

/** The body of a request. */
export interface DataRequest {
  readonly numericParameters?: readonly Parameter[];
  readonly stringParameters?: readonly Parameter[];
  readonly binaryParameters?: readonly Parameter[];
  readonly from?: bigint;
  readonly to?: bigint;
  readonly streamIds?: readonly string[];
  readonly topic?: string;
  readonly tagFilters?: readonly TagCondition[];
  readonly groupBy?: readonly string[];
  readonly groupByTime?: { readonly timeBucketDuration: bigint; readonly interpolationType?: string };
  readonly limit?: number;
  readonly order?: string;
}

/** An answer without its limit, row by row. */
export interface Answer {
  readonly columns: readonly AnswerColumn[];
  readonly groupBy: readonly string[];
  readonly rows: readonly AnswerRow[];
}

interface AnswerColumn {
  readonly map: 'numericValues' | 'stringValues' | 'binaryValues';
  readonly name: string;
}

export interface AnswerRow {
  readonly timestamp: bigint;
  /** The values of `groupBy`. */
  readonly tags: readonly (string | undefined)[];
  /** One for each column. */
  readonly cells: readonly Cell[];
}

const words = [
  'None Mean Max Min First Last Sum Count Median Spread StdDev Mode P50 P90 P95 P99',
  'None Linear Null Previous Zero',
].map((list) => list.split(' '));

interface Wanted extends AnswerColumn {
  /** `kind:name`, as rows have it. */
  readonly key: string;
  readonly aggregation: string;
}

/** More buckets than this in an answer are refused with `too_many_buckets`. */
export const mostBuckets = 1_000_000;

export function answerOf(rows: readonly ReferenceRow[], request: DataRequest): Answer {
  const columns = wantedColumns(request);
  const groupBy = [...new Set(request.groupBy ?? [])];
  const selected = selectRows(rows, request, columns);
  const isRaw = columns.every(({ aggregation }) => aggregation === 'None');
  const ascending = isRaw
    ? selected.map((row) => ({
        timestamp: row.timestamp,
        tags: groupBy.map((name) => tagOf(row, name)),
        cells: columns.map(({ key }): Cell => ({ value: row.values.get(key) ?? null })),
      }))
    : groupsOf(selected, groupBy)
        .flatMap((group) => groupRows(group, groupBy, columns, request))
        .sort((a, b) => compare(a.timestamp, b.timestamp) || compareLists(a.tags, b.tags));
  const isDescending = request.order?.toLowerCase() === 'desc';
  return { columns, groupBy, rows: isDescending ? ascending.reverse() : ascending };
}

/**
 * How many buckets an answer has before its limit, empty ones that interpolation adds included; 0 without buckets.
 *
 * Decided here: where `from` and `to` say which buckets there are, they count for one group even if no row is found,
 * so that a request is refused or not whatever the data.
 */
export function countBuckets(rows: readonly ReferenceRow[], request: DataRequest): number {
  const { groupByTime } = request;
  if (groupByTime === undefined) return 0;
  const selected = selectRows(rows, request, wantedColumns(request));
  const { interpolation, width } = bucketsOf(groupByTime, words[1]!);
  const { from, to } = request;
  if (selected.length === 0 && interpolation !== 'None' && from !== undefined && to !== undefined) {
    return Number(floorDivide(to, width) - floorDivide(from, width) + 1n);
  }
  return groupsOf(selected, [...new Set(request.groupBy ?? [])]).reduce((total, group) => {
    const { first, last } = bucketRange(group, request, width);
    const filled = new Set(group.map((row) => floorDivide(row.timestamp, width))).size;
    return total + (interpolation === 'None' ? filled : Number(last - first + 1n));
  }, 0);
}

/**
 * Whether a range has so many buckets (2^53) that a service which numbers them by doubles may refuse it, also where
 * few of them hold data. The contract's own limit is on the buckets of the answer.
 */
export function mayBeTooFine({ from, to, groupByTime }: DataRequest): boolean {
  if (groupByTime === undefined) return false;
  return ((to ?? 2n ** 63n) - (from ?? -(2n ** 63n))) / groupByTime.timeBucketDuration >= 2n ** 53n;
}

/** One column for each parameter and aggregation, however often it is asked for. */
function wantedColumns(request: DataRequest): Wanted[] {
  const lists = [
    ['numeric', 'numericValues', request.numericParameters],
    ['string', 'stringValues', request.stringParameters],
    ['binary', 'binaryValues', request.binaryParameters],
  ] as const;
  const wanted = new Map<string, Wanted>();
  for (const [kind, ownMap, list] of lists) {
    for (const { parameterName, aggregationType = 'None' } of list ?? []) {
      const aggregation = words[0]!.find((word) => word.toLowerCase() === aggregationType.toLowerCase())!;
      const name = aggregation === 'None' ? parameterName : `${aggregation.toLowerCase()}(${parameterName})`;
      const map = aggregation === 'Count' ? 'numericValues' : ownMap;
      wanted.set(`${kind}:${name}`, { key: `${kind}:${parameterName}`, aggregation, map, name });
    }
  }
  return [...wanted.values()];
}

/** The rows that have at least one of the parameters, in order: time, stream id, topic, tags. */
function selectRows(
  rows: readonly ReferenceRow[],
  request: DataRequest,
  columns: readonly Wanted[],
): ReferenceRow[] {
  const { from, to, streamIds = [], topic, tagFilters = [] } = request;
  return rows
    .filter(
      (row) =>
        (from === undefined || row.timestamp >= from) &&
        (to === undefined || row.timestamp <= to) &&
        (streamIds.length === 0 || streamIds.includes(row.streamId)) &&
        (topic === undefined || row.topic.toLowerCase() === topic.toLowerCase()) &&
        hasTags(row.tags, tagFilters) &&
        columns.some(({ key }) => row.values.has(key)),
    )
    .sort(compareRows);
}

export function compareRows(a: ReferenceRow, b: ReferenceRow): number {
  return (
    compare(a.timestamp, b.timestamp) ||
    compare(a.streamId, b.streamId) ||
    compare(a.topic, b.topic) ||
    compareLists(flatTags(a.tags), flatTags(b.tags))
  );
}

/** Names and values in turn, by name. */
export function flatTags(tags: ReadonlyMap<string, string>): string[] {
  return [...tags].sort(([a], [b]) => compare(a, b)).flat();
}

/** Rows with the same values of `groupBy`, each group in the order of rows. */
function groupsOf(rows: readonly ReferenceRow[], groupBy: readonly string[]): ReferenceRow[][] {
  const groups = new Map<string, ReferenceRow[]>();
  for (const row of rows) {
    const key = JSON.stringify(groupBy.map((name) => tagOf(row, name) ?? null));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

/** Decided here: the pseudo-tags win over tags of rows with the same name. */
function tagOf(row: ReferenceRow, name: string): string | undefined {
  if (name === 'streamId') return row.streamId;
  return name === 'topic' ? row.topic : row.tags.get(name);
}

/** The rows of the answer for one group, which has at least one row. */
function groupRows(
  group: readonly ReferenceRow[],
  groupBy: readonly string[],
  columns: readonly Wanted[],
  request: DataRequest,
): AnswerRow[] {
  const tags = groupBy.map((name) => tagOf(group[0]!, name));
  const { groupByTime } = request;
  if (groupByTime === undefined) {
    return [{ timestamp: request.from ?? group[0]!.timestamp, tags, cells: cellsOf(group, columns) }];
  }
  const { interpolation, width } = bucketsOf(groupByTime, words[1]!);
  const buckets = new Map<bigint, ReferenceRow[]>();
  for (const row of group) {
    const bucket = floorDivide(row.timestamp, width);
    buckets.set(bucket, [...(buckets.get(bucket) ?? []), row]);
  }
  const { first, last } = bucketRange(group, request, width);
  const numbers = interpolation === 'None' ? [...buckets.keys()] : rangeOf(first, last);
  const found = numbers.map((number) => cellsOf(buckets.get(number) ?? [], columns));
  const filled = columns.map(({ map }, column) =>
    interpolate(
      found.map((cells) => cells[column]!),
      interpolation,
      map === 'numericValues',
    ),
  );
  return numbers.map((number, i) => ({
    // Decided here: the bucket in which time begins has the first timestamp there is, not one before it.
    timestamp: number * width < -(2n ** 63n) ? -(2n ** 63n) : number * width,
    tags,
    cells: filled.map((cells) => cells[i]!),
  }));
}

/** Numbers of the first and the last bucket of a group: those of `from` and `to`, or its own. */
function bucketRange(group: readonly ReferenceRow[], { from, to }: DataRequest, width: bigint) {
  return {
    first: floorDivide(from ?? group[0]!.timestamp, width),
    last: floorDivide(to ?? group.at(-1)!.timestamp, width),
  };
}

function rangeOf(first: bigint, last: bigint): bigint[] {
  const numbers: bigint[] = [];
  for (let number = first; number <= last; number++) numbers.push(number);
  return numbers;
}

function cellsOf(rows: readonly ReferenceRow[], columns: readonly Wanted[]): Cell[] {
  if (rows.length === 0) return columns.map(() => gap);
  return columns.map(({ key, aggregation }) =>
    aggregate(
      aggregation,
      rows.filter((row) => row.values.has(key)).map((row) => row.values.get(key)!),
    ),
  );
}

function compare<T extends string | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Element by element, a missing one first; a list comes before its extensions. */
function compareLists(a: readonly (string | undefined)[], b: readonly (string | undefined)[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [left, right] = [a[i], b[i]];
    if (left === right) continue;
    if (left === undefined) return -1;
    if (right === undefined) return 1;
    return compare(left, right);
  }
  return a.length - b.length;
}
