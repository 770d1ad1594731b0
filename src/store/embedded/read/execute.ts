import { type Column, Kind, type ParameterKey } from '../../../domain/parameter-data.ts';
import { compareStreamKeys } from '../../../domain/stream.ts';
import { compareTagSets, tagSetOfKey } from '../../../domain/tags.ts';
import type { TimeRange } from '../../../domain/timestamp.ts';
import type { Position } from '../../../query/cursor.ts';
import { type Pace, paceQuery } from '../../../query/pace.ts';
import type { ReadPlan, Selection } from '../../../query/plan.ts';
import { compileTagFilters } from '../../../query/tag-predicate.ts';
import type { RowBlock, StreamKey } from '../../store.ts';
import type { CatalogState } from '../catalog/catalog-state.ts';
import { streamsToRead } from '../catalog/select-streams.ts';
import type { GroupColumn, RowGroup } from '../rows/row-group.ts';
import { sliceRows } from '../rows/row-group.ts';
import { windowOf, windowStart } from '../rows/windows.ts';
import { type MergedRows, mergeStreams } from './merge-streams.ts';
import { readStream, type Snapshot, type WindowRows } from './snapshot.ts';

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
  snapshot: Snapshot,
  signal: AbortSignal,
  mostMs: number,
): AsyncGenerator<RowBlock> {
  const bound = { ...streams, plan };
  let left = plan.limit ?? Number.POSITIVE_INFINITY;
  const { pace, restart } = paceQuery(signal, mostMs);
  for await (const rows of orderedRows(bound, snapshot, pace)) {
    let block = toBlock(bound, rows);
    if (plan.after !== undefined) block = behind(block, plan.after, plan.order === 'Desc');
    if (block.count > left) block = sliceBlock(block, 0, left);
    if (block.count > 0) {
      yield block;
      restart();
    }
    left -= block.count;
    if (left <= 0) return;
  }
}

async function* orderedRows(bound: BoundPlan, snapshot: Snapshot, pace: Pace): AsyncGenerator<MergedRows> {
  const { plan, streams } = bound;
  const descending = plan.order === 'Desc';
  const numbers = bound.parameters.filter((number) => number !== undefined);
  const { after } = plan;
  const range = {
    from: after !== undefined && !descending && after.timestamp > plan.from ? after.timestamp : plan.from,
    to: after !== undefined && descending && after.timestamp < plan.to ? after.timestamp : plan.to,
    parameters: new Set(numbers),
    wanted: compileTagFilters(plan.tagFilters),
    descending,
    pace,
  };
  if (range.from > range.to) return;
  const readers = streams.map((stream, i) => {
    const { first, last } = bound.extents[i]!;
    const begin = descending ? least(last, range.to) : greatest(first, range.from);
    const window = windowOf(begin);
    const blocks = readStream(snapshot, { ...range, stream });
    return { blocks, window, offset: Number(begin - windowStart(window)) };
  });
  if (readers.length === 1) yield* singleStream(readers[0]!.blocks);
  else yield* mergeStreams(readers, numbers, descending);
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function greatest(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

async function* singleStream(rows: AsyncGenerator<WindowRows>): AsyncGenerator<MergedRows> {
  for await (const { window, group } of rows) yield { window, group, ranks: oneRank };
}

/** Marks rows that all belong to the first stream. */
const oneRank = new Uint32Array(0);

function toBlock(bound: BoundPlan, { window, group, ranks }: MergedRows): RowBlock {
  return {
    count: group.count,
    base: windowStart(window),
    offsets: group.offsets,
    streamIndex: ranks === oneRank ? undefined : ranks,
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
function behind(block: RowBlock, position: Position, descending: boolean): RowBlock {
  const offset = Number(position.timestamp - block.base);
  let from = 0;
  while (from < block.count && block.offsets[from] === offset && !isBehind(block, from, position, descending))
    from++;
  return sliceBlock(block, from, block.count);
}

function isBehind(block: RowBlock, row: number, position: Position, descending: boolean): boolean {
  const key = block.streams[block.streamIndex?.[row] ?? 0]!;
  const order =
    compareStreamKeys(key, position) ||
    compareTagSets(block.tagSets[block.tagIndex?.[row] ?? 0]!, tagSetOfKey(position.tags));
  return descending ? order < 0 : order > 0;
}

function sliceBlock(block: RowBlock, from: number, to: number): RowBlock {
  if (from === 0 && to === block.count) return block;
  const columns = block.columns.filter((column) => column !== undefined);
  const group = sliceRows(
    {
      stream: 0,
      count: block.count,
      offsets: block.offsets,
      tagSets: block.tagSets,
      tagIndex: block.tagIndex,
      columns: columns.map((column, parameter): GroupColumn => ({ ...column, parameter })),
    },
    from,
    to,
  );
  let next = 0;
  return {
    ...block,
    count: group.count,
    offsets: group.offsets,
    streamIndex: block.streamIndex?.subarray(from, to),
    tagIndex: group.tagIndex,
    columns: block.columns.map((column) =>
      column === undefined ? undefined : { ...column, ...group.columns[next++]! },
    ),
  };
}
