import { Kind } from '../../../domain/parameter-data.ts';
import type { TagFilter } from '../../../domain/query.ts';
import { compileTagFilters, type TagPredicate } from '../../../query/tag-predicate.ts';
import { cleanLsnOf, type PartRecord } from '../parts/part-record.ts';
import { countPresent } from '../rows/presence.ts';
import type { GroupColumn, RowGroup } from '../rows/row-group.ts';
import { rangeInWindow } from '../rows/windows.ts';

/**
 * A delete of rows, as reads and merges apply it: it hides what records before it wrote, and never what came later.
 * Parts that were written since with the mask applied say so (`cleanLsn`). It can be sent to the worker.
 */
export interface Mask {
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

/** A mask as far as it concerns one stream in one window. */
export interface RowMask {
  readonly mask: Mask;
  /** Offsets in the window, both inclusive. */
  readonly first: number;
  readonly last: number;
}

export function masksStream({ streams }: Mask, stream: number): boolean {
  let low = 0;
  let high = streams.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (streams[middle]! < stream) low = middle + 1;
    else high = middle;
  }
  return streams[low] === stream;
}

export function masksParameter({ parameters }: Mask, { parameter, kind }: GroupColumn): boolean {
  return parameters === undefined ? kind !== Kind.Event : parameters.has(parameter);
}

/** Those that concern a stream. */
export function masksOf(masks: readonly Mask[], stream: number): readonly Mask[] {
  return masks.length === 0 ? masks : masks.filter((mask) => masksStream(mask, stream));
}

/** The masks that rows of a stream in a window meet, of those behind `lsn`. */
export function rowMasks(
  masks: readonly Mask[],
  lsn: number,
  stream: number,
  window: number,
): readonly RowMask[] {
  if (masks.length === 0) return noMasks;
  const found: RowMask[] = [];
  for (const mask of masks) {
    if (mask.lsn <= lsn || !masksStream(mask, stream)) continue;
    const inside = rangeInWindow(window, mask.from, mask.to);
    if (inside !== undefined) found.push({ mask, ...inside });
  }
  return found;
}

const noMasks: readonly RowMask[] = [];

/** Those that reach rows between two offsets, both inclusive. */
export function masksWithin(masks: readonly RowMask[], first: number, last: number): readonly RowMask[] {
  return masks.length === 0 ? masks : masks.filter((mask) => mask.first <= last && mask.last >= first);
}

/** Whether a part may hold rows that a mask hides, as far as its record tells. */
export function mayMask(mask: Mask, part: PartRecord): boolean {
  if (mask.lsn <= cleanLsnOf(part)) return false;
  const inside = rangeInWindow(part.window, mask.from, mask.to);
  return inside !== undefined && inside.first <= part.maxOffset && inside.last >= part.minOffset;
}

/**
 * The group without what the masks hide: values lose their presence, rows stay in their places, so some may have no
 * value left. Rows may stand in any order. A group that no mask touches comes back as it is.
 */
export function maskRows(group: RowGroup, masks: readonly RowMask[]): RowGroup {
  let masked = group;
  for (const rowMask of masks) masked = maskOnce(masked, rowMask);
  return masked;
}

function maskOnce(group: RowGroup, rowMask: RowMask): RowGroup {
  const { mask } = rowMask;
  if (!group.columns.some((column) => masksParameter(mask, column))) return group;
  const kept = keptRows(group, rowMask);
  if (kept === undefined) return group;
  const columns = group.columns.flatMap((column) => {
    if (!masksParameter(mask, column)) return [column];
    const present = intersection(kept, column.present);
    return countPresent(present, group.count) === 0 ? [] : [{ ...column, present }];
  });
  return { ...group, columns };
}

/** A bit for each row that the mask leaves alone; undefined where it hides none. */
function keptRows(group: RowGroup, { mask, first, last }: RowMask): Uint8Array | undefined {
  const { count, offsets, tagSets, tagIndex } = group;
  const matches = mask.tagFilters.length === 0 ? undefined : tagSets.map(testOf(mask));
  if (matches !== undefined && !matches.includes(true)) return undefined;
  const kept = new Uint8Array((count + 7) >> 3).fill(0xff);
  let hides = false;
  for (let row = 0; row < count; row++) {
    const offset = offsets[row]!;
    if (offset < first || offset > last) continue;
    if (matches !== undefined && !matches[tagIndex === undefined ? 0 : tagIndex[row]!]!) continue;
    kept[row >> 3]! &= ~(1 << (row & 7));
    hides = true;
  }
  return hides ? kept : undefined;
}

function intersection(kept: Uint8Array, present: Uint8Array | undefined): Uint8Array {
  return present === undefined ? kept : kept.map((bits, i) => bits & present[i]!);
}

/** Compiling a pattern costs more than a group of rows, so each mask's test is made once. */
const tests = new WeakMap<Mask, TagPredicate>();

function testOf(mask: Mask): TagPredicate {
  const test = tests.get(mask) ?? compileTagFilters(mask.tagFilters) ?? (() => true);
  tests.set(mask, test);
  return test;
}

/** A mask in a log record and in the manifest: JSON, times as digits. */
export interface MaskJson {
  readonly streams: readonly number[];
  readonly from: string;
  readonly to: string;
  readonly parameters?: readonly number[];
  readonly tagFilters?: readonly TagFilter[];
}

export function maskToJson({
  streams,
  from,
  to,
  parameters,
  tagFilters,
}: Omit<Mask, 'lsn' | 'arrival'>): MaskJson {
  return {
    streams: [...streams],
    from: String(from),
    to: String(to),
    ...(parameters && { parameters: [...parameters] }),
    ...(tagFilters.length > 0 && { tagFilters }),
  };
}

export function maskFromJson(json: MaskJson, lsn: number, arrival: number): Mask {
  const { streams, from, to, parameters, tagFilters } = json;
  return {
    lsn,
    arrival,
    streams: Uint32Array.from(streams),
    from: BigInt(from),
    to: BigInt(to),
    parameters: parameters && new Set(parameters),
    tagFilters: tagFilters ?? [],
  };
}
