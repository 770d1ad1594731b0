import { type Column, Kind, type ParameterKey } from '../../../domain/parameter-data.ts';
import { compareStreamKeys, type StreamKey } from '../../../domain/stream.ts';
import { compareTagSets, tagSetOfKey } from '../../../domain/tags.ts';
import { paceQuery } from '../../../query/bounds/pace.ts';
import type { CountRows } from '../../../query/bounds/running-queries.ts';
import type { Position } from '../../../query/plan/cursor.ts';
import type { ReadPlan } from '../../../query/plan/plan.ts';
import { compileTagFilters, type TagPredicate } from '../../../query/plan/tag-predicate.ts';
import type { Pace } from '../../../turns/pace.ts';
import { atPace } from '../../../turns/steps.ts';
import { calculatedRows } from '../../calculated/calculated-rows.ts';
import type { RowSource } from '../../calculated/row-source.ts';
import { calculates } from '../../calculated/with-columns.ts';
import { sliceBlock } from '../../slice-block.ts';
import type { RowBlock } from '../../store.ts';
import { parameterFinder } from '../rows/find-parameter.ts';
import { dropEmptyRows, keepTags } from '../rows/gather-rows.ts';
import type { GroupColumn, PlacedGroup } from '../rows/row-group.ts';
import { type TimeList, timeList } from '../rows/time-list.ts';
import { windowStart } from '../rows/windows.ts';
import type { OpenSnapshot } from '../snapshot/snapshot.ts';
import { indexParts, letGoOf, partsByWindow } from '../walk/indexed-parts.ts';
import { mergeSources } from '../walk/overlap-merge.ts';
import { loadable, sourcesIn } from '../walk/sources.ts';
import { walkOf } from '../walk/walk.ts';
import { headRows } from '../walk/walk-head.ts';
import type { BoundStreams } from './bind-streams.ts';
import { mergeStreams, type RowsOfStreams } from './merge-streams.ts';
import type { ReadTerms } from './read-terms.ts';
import { streamsApart } from './streams-apart.ts';
import { waitingStreams } from './waiting-streams.ts';

/** A plan of raw rows with its names looked up. */
interface BoundPlan extends BoundStreams {
  readonly plan: ReadPlan;
}

/** Runs a plan of raw rows on a snapshot. */
export async function* execute(
  plan: ReadPlan,
  streams: BoundStreams,
  open: OpenSnapshot,
  { signal, maxMs, countRows }: ReadTerms,
): AsyncGenerator<RowBlock> {
  const { pace, pause, restart } = paceQuery(signal, maxMs);
  const blocks = calculates(plan)
    ? calculatedRows(plan, rowSource(plan, streams, open, pace, countRows))
    : storedRows({ plan, ...streams }, open, pace, countRows);
  for await (const block of blocks) {
    pause();
    yield block;
    restart();
  }
}

/** The rows of a plan that calculates nothing. */
async function* storedRows(
  bound: BoundPlan,
  open: OpenSnapshot,
  pace: Pace,
  countRows: CountRows,
): AsyncGenerator<RowBlock> {
  const { plan } = bound;
  let left = plan.limit ?? Number.POSITIVE_INFINITY;
  for await (const rows of orderedRows(bound, open, pace, countRows)) {
    let block = toBlock(bound, rows);
    if (plan.after !== undefined) block = rowsAfter(block, plan.after, plan.order === 'Desc');
    if (block.count > left) block = sliceBlock(block, 0, left);
    if (block.count > 0) yield block;
    left -= block.count;
    if (left <= 0) return;
    // Rows of many streams are merged from groups that are all read by then.
    const turn = pace();
    if (turn !== undefined) await turn;
  }
}

/**
 * The rows that a plan calculates from.
 *
 * @param bound of the plan; rows of its streams before the plan's `from` can be asked for, too
 */
export function rowSource(
  { parameters }: Pick<ReadPlan, 'parameters'>,
  bound: BoundStreams,
  open: OpenSnapshot,
  pace: Pace,
  countRows: CountRows,
): RowSource {
  const keyOf = ({ kind, name }: ParameterKey) => `${kind}:${name}`;
  const numbers = new Map(parameters.map((key, i) => [keyOf(key), bound.parameters[i]]));
  const run = (plan: ReadPlan, of: Omit<BoundStreams, 'parameters'>) => {
    const wanted = plan.parameters.map((key) => numbers.get(keyOf(key)));
    return storedRows({ plan, ...of, parameters: wanted }, open, pace, countRows);
  };
  const placeOf = placesOf(bound);
  return {
    run: (plan) => run(plan, bound),
    runStream: (plan, stream) => run(plan, ofStream(bound, placeOf(stream))),
  };
}

/** Finds the places of streams by what they are called; of one alone, whatever it is called. */
function placesOf({ count, ids, topics }: BoundStreams): (stream: StreamKey) => number {
  if (count === 1) return () => 0;
  const nameOf = (streamId: string, topic: string) => `${streamId.length}:${streamId}${topic}`;
  let places: Map<string, number> | undefined;
  return ({ streamId, topic }) => {
    places ??= new Map(ids.map((id, place) => [nameOf(id, topics[place]!), place]));
    return places.get(nameOf(streamId, topic))!;
  };
}

/** One of the streams alone. */
export function ofStream(bound: BoundStreams, place: number): BoundStreams {
  const timeOf = (times: TimeList): TimeList =>
    timeList({ windows: Int32Array.of(times.window(place)), offsets: Float64Array.of(times.offset(place)) });
  return {
    count: 1,
    streams: bound.streams.slice(place, place + 1),
    ids: [bound.ids[place] ?? ''],
    topics: [bound.topics[place] ?? ''],
    firsts: timeOf(bound.firsts),
    lasts: timeOf(bound.lasts),
    parameters: bound.parameters,
  };
}

function orderedRows(
  bound: BoundPlan,
  open: OpenSnapshot,
  pace: Pace,
  countRows: CountRows,
): AsyncGenerator<RowsOfStreams> {
  const { plan } = bound;
  const descending = plan.order === 'Desc';
  const numbers = bound.parameters.filter((number) => number !== undefined);
  const { after } = plan;
  const range = {
    from: after !== undefined && !descending && after.timestamp > plan.from ? after.timestamp : plan.from,
    to: after !== undefined && descending && after.timestamp < plan.to ? after.timestamp : plan.to,
    parameters: new Set(numbers),
    withEvents: plan.parameters.some(({ kind }) => kind === Kind.Event),
    wanted: compileTagFilters(plan.tagFilters),
    descending,
    pace,
    countRows,
  };
  if (plan.streamsApart === true && !descending && after === undefined)
    return streamsApart(open, bound, range);
  return rowsByTime(bound, open, range, numbers);
}

async function* rowsByTime(
  bound: BoundPlan,
  open: OpenSnapshot,
  range: Omit<StreamRange, 'stream'>,
  numbers: readonly number[],
): AsyncGenerator<RowsOfStreams> {
  const { after, limit: most = Number.POSITIVE_INFINITY } = bound.plan;
  if (range.from > range.to) return;
  const read = (stream: number, from: bigint, to: bigint) => readStream(open, { stream, ...range, from, to });
  if (bound.count === 1) {
    const keys = [{ streamId: bound.ids[0]!, topic: bound.topics[0]! }];
    for await (const { window, group } of read(bound.streams[0]!, range.from, range.to))
      yield { window, group, streamIndex: undefined, streams: keys };
    return;
  }
  const waiting = await atPace(waitingStreams(bound, { after, ...range }, read), range.pace);
  // Of rows at the time of `after` any number may come before it.
  const limit = after === undefined ? most : Number.POSITIVE_INFINITY;
  yield* mergeStreams(waiting, numbers, range.descending, limit);
}

function toBlock(bound: BoundPlan, { window, group, streamIndex, streams, apart }: RowsOfStreams): RowBlock {
  const columnOf = parameterFinder(group.columns);
  return {
    count: group.count,
    base: windowStart(window),
    offsets: group.offsets,
    streamIndex,
    streams,
    tagIndex: group.tagIndex,
    tagSets: group.tagSets,
    columns: bound.parameters.map((number, i) => namedColumn(columnOf(number), bound.plan.parameters[i]!)),
    apart,
  };
}

function namedColumn(column: GroupColumn | undefined, { name }: ParameterKey): Column | undefined {
  if (column === undefined) return undefined;
  return 'ends' in column
    ? { kind: column.kind, name, bytes: column.bytes, ends: column.ends, present: column.present }
    : { kind: Kind.Numeric, name, values: column.values, present: column.present };
}

/** The rows of a block that come after a position in the order. */
function rowsAfter(block: RowBlock, position: Position, descending: boolean): RowBlock {
  const offset = Number(position.timestamp - block.base);
  let from = 0;
  while (from < block.count && block.offsets[from] === offset && !isAfter(block, from, position, descending))
    from++;
  return sliceBlock(block, from, block.count);
}

function isAfter(block: RowBlock, row: number, position: Position, descending: boolean): boolean {
  const key = block.streams[block.streamIndex?.[row] ?? 0]!;
  const order =
    compareStreamKeys(key, position) ||
    compareTagSets(block.tagSets[block.tagIndex?.[row] ?? 0]!, tagSetOfKey(position.tags));
  return descending ? order < 0 : order > 0;
}

export interface StreamRange {
  readonly stream: number;
  /** Nanoseconds, both inclusive. */
  readonly from: bigint;
  readonly to: bigint;
  /** Numbers of the wanted parameters. */
  readonly parameters: ReadonlySet<number>;
  /** Whether some of these are events. */
  readonly withEvents: boolean;
  /** Only rows with such tags; undefined means all. */
  readonly wanted?: TagPredicate | undefined;
  readonly descending: boolean;
  /** Asked before each window and each group. */
  readonly pace: Pace;
  /** Told of all that is read, also where its tags are not wanted. */
  readonly countRows?: CountRows;
}

/** The rows of one stream in order, each identity once, without rows that have none of the parameters. */
export async function* readStream(open: OpenSnapshot, range: StreamRange): AsyncGenerator<PlacedGroup> {
  const walk = walkOf(open.snapshot, range.stream, range.from, range.to, range.withEvents);
  if (walk === undefined) return;
  const head = headRows(walk, range.parameters);
  const parts = partsByWindow(open.snapshot, walk);
  const parameters = [...range.parameters].sort((a, b) => a - b);
  const windows = [...new Set([...head.keys(), ...parts.keys()])].sort((a, b) => a - b);
  if (range.descending) windows.reverse();
  for (const window of windows) {
    await range.pace();
    const indexed = await indexParts(open.readers, parts.get(window) ?? []);
    try {
      const sources = sourcesIn(walk, window, indexed, head.get(window), range.parameters);
      const loaded = sources.map((source) => loadable(source, parameters));
      for await (const merged of mergeSources(loaded, range.descending)) {
        range.countRows?.(merged.count);
        const group = dropEmptyRows(range.wanted === undefined ? merged : keepTags(merged, range.wanted));
        if (group.count > 0) yield { window, group };
        await range.pace();
      }
    } finally {
      // Other streams of the same read want these indexes until it has left the window.
      letGoOf(indexed);
    }
  }
}
