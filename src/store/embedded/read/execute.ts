import { type Column, Kind, type ParameterKey } from '../../../domain/parameter-data.ts';
import { compareStreamKeys } from '../../../domain/stream.ts';
import { compareTagSets, tagSetOfKey } from '../../../domain/tags.ts';
import type { TimeRange } from '../../../domain/timestamp.ts';
import type { Position } from '../../../query/cursor.ts';
import { type Pace, paceQuery } from '../../../query/pace.ts';
import type { ReadPlan, Selection } from '../../../query/plan.ts';
import type { CountRows } from '../../../query/running-queries.ts';
import { compileTagFilters } from '../../../query/tag-predicate.ts';
import { calculatedRows } from '../../calculated/calculated-rows.ts';
import type { RowSource } from '../../calculated/row-source.ts';
import { calculates } from '../../calculated/with-columns.ts';
import { sliceBlock } from '../../slice-block.ts';
import type { RowBlock, StreamKey } from '../../store.ts';
import type { CatalogState } from '../catalog/catalog-state.ts';
import { streamsToRead } from '../catalog/select-streams.ts';
import type { PlacedGroup, RowGroup } from '../rows/row-group.ts';
import { windowOf, windowStart } from '../rows/windows.ts';
import { mergeStreams, type RowsOfStreams } from './merge-streams.ts';
import type { ReadTerms } from './read-terms.ts';
import type { OpenSnapshot } from './snapshot.ts';
import { readStream } from './stream-rows.ts';

/** The streams and parameters of a plan by their numbers, fixed to the moment at which the read began. */
export interface BoundStreams {
  /** By id, then topic. */
  readonly streams: readonly number[];
  readonly keys: readonly StreamKey[];
  /** Smallest and largest timestamp of each stream, ns. */
  readonly extents: readonly TimeRange[];
  /** Aligned with `plan.parameters`; undefined where nobody wrote that parameter. */
  readonly parameters: readonly (number | undefined)[];
}

/** Looks up which streams may have rows for a plan. */
export function bindStreams(
  state: CatalogState,
  plan: Selection & { readonly parameters: readonly ParameterKey[] },
): BoundStreams {
  const parameters = plan.parameters.map(({ kind, name }) => state.parametersByName[kind].get(name)?.number);
  const wanted = parameters.filter((number) => number !== undefined);
  const { rows, id, topic } = state.streams;
  const found: { readonly stream: number; readonly key: StreamKey; readonly extent: TimeRange }[] = [];
  for (const stream of streamsToRead(state, plan.workspace, plan.streamIds, plan.topic)) {
    const extent = { first: rows.dataStart[stream]!, last: rows.dataEnd[stream]! };
    if (extent.first > plan.to || extent.last < plan.from) continue;
    if (!wanted.some((parameter) => state.sets.has(rows.parameters[stream]!, parameter))) continue;
    found.push({ stream, key: { streamId: id(stream), topic: state.topics[topic(stream)]!.name }, extent });
  }
  if (found.length > 1) found.sort((a, b) => compareStreamKeys(a.key, b.key));
  return {
    streams: found.map(({ stream }) => stream),
    keys: found.map(({ key }) => key),
    extents: found.map(({ extent }) => extent),
    parameters,
  };
}

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
  const { pace, restart } = paceQuery(signal, maxMs);
  const blocks = calculates(plan)
    ? calculatedRows(plan, rowSource(plan, streams, open, pace, countRows))
    : storedRows({ ...streams, plan }, open, pace, countRows);
  for await (const block of blocks) {
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
    return storedRows({ ...of, parameters: wanted, plan }, open, pace, countRows);
  };
  return {
    run: (plan) => run(plan, bound),
    runStream: (plan, stream) => run(plan, ofStream(bound, bound.keys.indexOf(stream))),
  };
}

/** One of the streams alone. */
export function ofStream({ streams, keys, extents, parameters }: BoundStreams, place: number): BoundStreams {
  return { streams: [streams[place]!], keys: [keys[place]!], extents: [extents[place]!], parameters };
}

async function* orderedRows(
  bound: BoundPlan,
  open: OpenSnapshot,
  pace: Pace,
  countRows: CountRows,
): AsyncGenerator<RowsOfStreams> {
  const { plan, streams } = bound;
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
  if (range.from > range.to) return;
  const readers = streams.map((stream, i) => {
    const { first, last } = bound.extents[i]!;
    const begin = descending ? earlier(last, range.to) : later(first, range.from);
    const window = windowOf(begin);
    const groups = readStream(open, { ...range, stream });
    return { groups, window, offset: Number(begin - windowStart(window)) };
  });
  if (readers.length === 1) yield* singleStream(readers[0]!.groups);
  else yield* mergeStreams(readers, numbers, descending);
}

function earlier(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

async function* singleStream(groups: AsyncGenerator<PlacedGroup>): AsyncGenerator<RowsOfStreams> {
  for await (const { window, group } of groups) yield { window, group, streamIndex: undefined };
}

function toBlock(bound: BoundPlan, { window, group, streamIndex }: RowsOfStreams): RowBlock {
  return {
    count: group.count,
    base: windowStart(window),
    offsets: group.offsets,
    streamIndex,
    streams: bound.keys,
    tagIndex: group.tagIndex,
    tagSets: group.tagSets,
    columns: bound.parameters.map((number, i) => namedColumn(group, number, bound.plan.parameters[i]!)),
  };
}

function namedColumn(group: RowGroup, number: number | undefined, key: ParameterKey): Column | undefined {
  const column = group.columns.find(({ parameter }) => parameter === number);
  if (column === undefined) return undefined;
  const { name } = key;
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
