import { Kind } from '../../../domain/parameter-data.ts';
import { countPresent } from '../../../domain/presence.ts';
import type { TagFilter } from '../../../domain/query.ts';
import { unbounded } from '../../../query/bounds/pattern-budget.ts';
import { compileTagFilters, type TagPredicate } from '../../../query/plan/tag-predicate.ts';
import { bitmapOf, formOfNumbers, numbersOfBitmap } from '../log/stream-numbers.ts';
import { cleanLsnOf, mayHaveRows, type PartRecord } from '../parts/part-record.ts';
import type { GroupColumn, RowGroup } from '../rows/row-group.ts';
import type { OffsetRange } from '../rows/windows.ts';

/**
 * A delete of rows, as reads and merges apply it: it hides what records before it wrote, and never what came later.
 * Parts that were written since with the tombstone applied say so (`cleanLsn`). It can be sent to the worker.
 */
export interface Tombstone {
  /** The record of the delete. */
  readonly lsn: number;
  /** Milliseconds since the Unix epoch when it arrived. */
  readonly arrival: number;
  /** Numbers of streams, ascending. */
  readonly streams: Uint32Array;
  /** Nanoseconds, both inclusive. */
  readonly from: bigint;
  readonly to: bigint;
  /** Numbers of the parameters that lose their values; undefined means all but events. */
  readonly parameters: ReadonlySet<number> | undefined;
  /** Only rows that match all of these. */
  readonly tagFilters: readonly TagFilter[];
}

/** What a tombstone, or several that touch and take the same, hide of one stream in one window. */
export interface WindowTombstone {
  /** Any of them, for what it takes. */
  readonly tombstone: Tombstone;
  /** Offsets in the window, both inclusive. */
  readonly first: number;
  readonly last: number;
}

export function concernsStream({ streams }: Tombstone, stream: number): boolean {
  let low = 0;
  let high = streams.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (streams[middle]! < stream) low = middle + 1;
    else high = middle;
  }
  return streams[low] === stream;
}

export function hidesColumn(
  { parameters }: Pick<Tombstone, 'parameters'>,
  { parameter, kind }: Pick<GroupColumn, 'parameter' | 'kind'>,
): boolean {
  return parameters === undefined ? kind !== Kind.Event : parameters.has(parameter);
}

/** Those that reach rows between two offsets, both inclusive. */
export function tombstonesBetween(
  tombstones: readonly WindowTombstone[],
  first: number,
  last: number,
): readonly WindowTombstone[] {
  return tombstones.length === 0
    ? tombstones
    : tombstones.filter((tombstone) => tombstone.first <= last && tombstone.last >= first);
}

/** Whether a part may hold rows that a tombstone hides, as far as its record tells. */
export function mayConcern(tombstone: Tombstone, part: PartRecord): boolean {
  return tombstone.lsn > cleanLsnOf(part) && mayHaveRows(part, tombstone.from, tombstone.to);
}

/**
 * The group without what the tombstones hide: values lose their presence, rows stay in their places, so some may have no
 * value left. Rows may stand in any order. A group that no tombstone touches comes back as it is.
 *
 * @param tombstones those with the same `tombstone` stand together, ascending, and do not overlap
 */
export function hideRows(group: RowGroup, tombstones: readonly WindowTombstone[]): RowGroup {
  let left = group;
  for (let start = 0; start < tombstones.length; ) {
    const { tombstone } = tombstones[start]!;
    let end = start + 1;
    while (end < tombstones.length && tombstones[end]!.tombstone === tombstone) end++;
    left = hideOnce(
      left,
      tombstone,
      end - start === tombstones.length ? tombstones : tombstones.slice(start, end),
    );
    start = end;
  }
  return left;
}

function hideOnce(group: RowGroup, tombstone: Tombstone, ranges: readonly OffsetRange[]): RowGroup {
  if (!group.columns.some((column) => hidesColumn(tombstone, column))) return group;
  const kept = keptRows(group, tombstone, ranges);
  if (kept === undefined) return group;
  const columns = group.columns.flatMap((column) => {
    if (!hidesColumn(tombstone, column)) return [column];
    const present = intersection(kept, column.present);
    return countPresent(present, group.count) === 0 ? [] : [{ ...column, present }];
  });
  return { ...group, columns };
}

/** A bit for each row that the tombstone leaves alone in these ranges; undefined where it hides none. */
function keptRows(
  group: RowGroup,
  tombstone: Tombstone,
  ranges: readonly OffsetRange[],
): Uint8Array | undefined {
  const { count, offsets, tagSets, tagIndex } = group;
  const matches = tombstone.tagFilters.length === 0 ? undefined : tagSets.map(testOf(tombstone));
  if (matches !== undefined && !matches.includes(true)) return undefined;
  const kept = new Uint8Array((count + 7) >> 3).fill(0xff);
  let hides = false;
  /** The first range that ends at the row or after it: mostly that of the row before. */
  let at = 0;
  for (let row = 0; row < count; row++) {
    const offset = offsets[row]!;
    if (at > 0 && ranges[at - 1]!.last >= offset) at = 0;
    if (at < ranges.length && ranges[at]!.last < offset) at = firstEndingFrom(ranges, offset, at + 1);
    if (at === ranges.length || ranges[at]!.first > offset) continue;
    if (matches !== undefined && !matches[tagIndex === undefined ? 0 : tagIndex[row]!]!) continue;
    kept[row >> 3]! &= ~(1 << (row & 7));
    hides = true;
  }
  return hides ? kept : undefined;
}

/** The place, from `low` on, of the first range that ends at an offset or after it. */
function firstEndingFrom(ranges: readonly OffsetRange[], offset: number, low: number): number {
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[middle]!.last < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

function intersection(kept: Uint8Array, present: Uint8Array | undefined): Uint8Array {
  return present === undefined ? kept : kept.map((bits, i) => bits & present[i]!);
}

/**
 * Compiling a pattern costs more than a group of rows, so each tombstone's test is made once. It is not bounded: the
 * delete has searched the rows that it takes, within its own bounds, before there was a tombstone.
 */
const tests = new WeakMap<Tombstone, TagPredicate>();

function testOf(tombstone: Tombstone): TagPredicate {
  const test = tests.get(tombstone) ?? compileTagFilters(tombstone.tagFilters, unbounded) ?? (() => true);
  tests.set(tombstone, test);
  return test;
}

/** A tombstone in a log record and in the manifest: JSON, times as digits. */
export interface TombstoneJson {
  readonly streams: StreamsJson;
  readonly from: string;
  readonly to: string;
  readonly parameters?: readonly number[];
  readonly tagFilters?: readonly TagFilter[];
  /** In a log record: all that it takes was expired, so for its streams nothing changes by it. */
  readonly expired?: true;
}

/** Numbers of streams, or of many the bitmap of stream-numbers.ts in base64 and the first number. */
type StreamsJson = readonly number[] | { readonly first: number; readonly bits: string };

/** The most streams that are listed one by one: the list is short enough. */
const fewStreams = 4096;

export function tombstoneToJson({
  streams,
  from,
  to,
  parameters,
  tagFilters,
}: Omit<Tombstone, 'lsn' | 'arrival'>): TombstoneJson {
  return {
    streams: streamsToJson(streams),
    from: String(from),
    to: String(to),
    ...(parameters && { parameters: [...parameters] }),
    ...(tagFilters.length > 0 && { tagFilters }),
  };
}

function streamsToJson(streams: Uint32Array): StreamsJson {
  const { first, isBitmap } = formOfNumbers(streams);
  if (streams.length < fewStreams || !isBitmap) return [...streams];
  return { first, bits: Buffer.from(bitmapOf(streams)).toString('base64') };
}

function streamsFromJson(streams: StreamsJson): Uint32Array {
  return 'bits' in streams
    ? numbersOfBitmap(Buffer.from(streams.bits, 'base64'), streams.first)
    : Uint32Array.from(streams);
}

export function tombstoneFromJson(json: TombstoneJson, lsn: number, arrival: number): Tombstone {
  const { streams, from, to, parameters, tagFilters } = json;
  return {
    lsn,
    arrival,
    streams: streamsFromJson(streams),
    from: BigInt(from),
    to: BigInt(to),
    parameters: parameters && new Set(parameters),
    tagFilters: tagFilters ?? [],
  };
}
