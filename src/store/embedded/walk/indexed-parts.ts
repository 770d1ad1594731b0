import type { Pace } from '../../../turns/pace.ts';
import { DamagedError } from '../files/damage.ts';
import type { CachedIndex } from '../parts/cached-index.ts';
import { lowerBound } from '../parts/column-sets.ts';
import type { PartReader } from '../parts/part-reader.ts';
import type { Part, PartReaders } from '../parts/part-readers.ts';
import { offsetsIn, windowsOf } from '../parts/part-record.ts';
import { spanBytesOf } from '../parts/span-file.ts';
import { type OffsetRange, rangeInWindow, windowOf } from '../rows/windows.ts';

/** A part whose index is in memory until it is let go of. */
export interface IndexedPart {
  readonly part: Part;
  readonly reader: PartReader;
  readonly kept: CachedIndex;
}

/** Parts by window, in order of LSN. */
export type ByWindow<Item> = ReadonlyMap<number, readonly Item[]>;

/** The parts of a snapshot that may have rows between two times. */
export function partsByWindow(
  { parts }: { readonly parts: readonly Part[] },
  { from, to }: { readonly from: bigint; readonly to: bigint },
): ByWindow<Part> {
  const firstWindow = windowOf(from);
  const lastWindow = windowOf(to);
  const windows = new Map<number, Part[]>();
  for (const part of parts) {
    const all = windowsOf(part.record);
    for (let i = lowerBound(all, firstWindow); i < all.length && all[i]! <= lastWindow; i++) {
      const window = all[i]!;
      const inside = rangeInWindow(window, from, to);
      if (inside === undefined || !reaches(part, window, inside)) continue;
      const found = windows.get(window);
      if (found === undefined) windows.set(window, [part]);
      else found.push(part);
    }
  }
  return windows;
}

/** Whether a part may have rows between two offsets of a window. */
export function reaches({ record }: Part, window: number, { first, last }: OffsetRange): boolean {
  const has = offsetsIn(record, window);
  return has.last >= first && has.first <= last;
}

/** The parts with their indexes, for `letGoOf`: a promise where some of these have to be read. */
export function indexParts(
  readers: PartReaders,
  parts: readonly Part[],
): readonly IndexedPart[] | Promise<readonly IndexedPart[]> {
  return hasIndexes(readers, parts)
    ? parts.map((part) => indexed(readers, part))
    : readIndexes(readers, parts);
}

export function letGoOf(parts: Iterable<IndexedPart>): void {
  for (const { reader, kept } of parts) reader.unpinIndex(kept);
}

function hasIndexes(readers: PartReaders, parts: readonly Part[]): boolean {
  return parts.every((part) => readers.opened(part)?.hasIndex() === true);
}

/** Of a part whose index is in memory. */
function indexed(readers: PartReaders, part: Part): IndexedPart {
  const reader = readers.opened(part)!;
  return { part, reader, kept: reader.pinIndex() as CachedIndex };
}

async function readIndexes(readers: PartReaders, parts: readonly Part[]): Promise<readonly IndexedPart[]> {
  const indexed: IndexedPart[] = [];
  try {
    for (const part of parts) {
      const reader = await readable(part, () => readers.open(part));
      indexed.push({ part, reader, kept: await readable(part, async () => reader.pinIndex()) });
    }
  } catch (error) {
    letGoOf(indexed);
    throw error;
  }
  return indexed;
}

/**
 * The same of parts by window.
 *
 * @param pace asked before each window whose indexes may have to be read
 */
export function indexWindows(
  readers: PartReaders,
  windows: ByWindow<Part>,
  pace: Pace,
): ByWindow<IndexedPart> | Promise<ByWindow<IndexedPart>> {
  for (const parts of windows.values())
    if (!hasIndexes(readers, parts)) return readWindows(readers, windows, pace);
  return new Map(
    [...windows].map(([window, parts]) => [window, parts.map((part) => indexed(readers, part))]),
  );
}

async function readWindows(
  readers: PartReaders,
  parts: ByWindow<Part>,
  pace: Pace,
): Promise<ByWindow<IndexedPart>> {
  const windows = new Map<number, readonly IndexedPart[]>();
  try {
    for (const [window, ofWindow] of parts) {
      await pace();
      windows.set(window, await indexParts(readers, ofWindow));
    }
  } catch (error) {
    letGoOf([...windows.values()].flat());
    throw error;
  }
  return windows;
}

/** A part for a read that goes through it from its begin to its end: small row groups are read in spans. */
export function inSpans(item: IndexedPart, spanBytes: number): IndexedPart {
  return { ...item, reader: { ...item.reader, ...item.reader.inSpans(spanBytes) } };
}

/** The number of streams from which on a part is read in long spans where its row groups are not large. */
export const scannedStreams = 64;

/** The same of parts by window; a part has one reader for all of its windows. */
export function windowsInSpans(windows: ByWindow<IndexedPart>): ByWindow<IndexedPart> {
  const spanBytes = spanBytesOf(new Set([...windows.values()].flat().map(({ reader }) => reader)).size);
  const readers = new Map<PartReader, PartReader>();
  const spanned = (item: IndexedPart): IndexedPart => {
    const reader = readers.get(item.reader) ?? inSpans(item, spanBytes).reader;
    readers.set(item.reader, reader);
    return { ...item, reader };
  };
  return new Map([...windows].map(([window, ofWindow]) => [window, ofWindow.map(spanned)]));
}

/** A part that is gone, or that the disk cannot read, is as damaged as one with other bytes. */
export async function readable<T>({ path }: Part, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'EIO') throw error;
    throw new DamagedError(path, 0, 0, message, { cause: error });
  }
}
