import { verifyChecksum } from '../codecs/checksum.ts';
import { decodeColumn } from '../codecs/group-columns.ts';
import { decodeHead, decodeLayout, type GroupHead } from '../codecs/row-group-codec.ts';
import type { GroupHandle } from '../codecs/row-group-directory.ts';
import { StoredBytes } from '../codecs/stored-bytes.ts';
import { decodeStored } from '../files/damage.ts';
import type { GroupColumn, RowGroup } from '../rows/row-group.ts';
import type { CachedIndex, IndexBudget } from './cached-index.ts';
import type { EncodedGroup } from './encoded-group.ts';
import { groupsOf } from './find-groups.ts';
import type { GroupTotals } from './group-totals.ts';
import { IndexHolder } from './index-holder.ts';
import { type PartFile, readExactly } from './part-bytes.ts';
import type { CachedItems } from './part-cache.ts';
import {
  declaredFooterLength,
  decodeFooter,
  footerLength,
  type PartFooter,
  trailerLength,
} from './part-format.ts';
import { allGroups, decodeIndex, type PartIndex, runStart, statisticsOf } from './part-index.ts';
import type { PartTags } from './part-tags.ts';
import { decodeRunStatistics, type RunStatistics } from './run-statistics.ts';
import { type RunTotals, runTotalsReader } from './run-totals.ts';
import { spanFile } from './span-file.ts';
import type { SummedColumn } from './summed-column.ts';
import { decodeTagSummary, type TagSummary } from './tag-summary.ts';
import { headBytes, viewGroup } from './view-group.ts';

/** A row group as it is stored. */
export interface StoredGroup {
  readonly handle: GroupHandle;
  readonly bytes: Buffer;
}

/** Every method that reads rejects with DamagedError where the file is not what was written. */
export interface PartReader {
  readonly file: PartFile;
  readonly footer: PartFooter;
  hasIndex(): boolean;
  /** The index, which stays until it is unpinned; a promise where it has to be read. */
  pinIndex(): CachedIndex | Promise<CachedIndex>;
  unpinIndex(kept: CachedIndex): void;
  dropIndex(): void;
  /**
   * The groups of a stream that reach into [from, to] (offsets in `window`, by default the first one, inclusive) and may
   * have columns of `wanted` parameters (undefined: any). Those that overlap have no column in common; of one column they
   * come in order of time.
   */
  groupsOf(
    stream: number,
    from: number,
    to: number,
    wanted?: ReadonlySet<number>,
    window?: number,
  ): Promise<GroupHandle[]>;
  /** All groups; the index is loaded, and held only if it was held before. */
  readIndex(): Promise<PartIndex>;
  /** Numbers of the parameters that have values in a group. */
  readParameters(handle: GroupHandle): Promise<number[]>;
  /** A group with the columns of `parameters` that it has; at once where nothing has to be read. */
  view(handle: GroupHandle, parameters: ReadonlySet<number>): EncodedGroup | Promise<EncodedGroup>;
  /** The same reader for a read of many small groups in their order in the file, in spans (`spanFile`). */
  inSpans(spanBytes: number, keeps?: boolean): Pick<PartReader, 'view'>;
  /** Reads rows with the columns of `parameters` that the group has (undefined: all that it has). */
  readGroup(handle: GroupHandle, parameters?: readonly number[]): Promise<RowGroup>;
  /** Columns in the form from which sums come fastest, by parameter; null of one that is too large; undefined where nothing is kept. */
  readonly summedColumns: CachedItems<SummedColumn | null> | undefined;
  /** Totals of columns, as far as a read wants them. */
  readonly totals: RunTotals;
  /** Totals of row groups that reads found, by their positions; undefined where nothing is kept. */
  readonly groupTotals: CachedItems<GroupTotals> | undefined;
  /** The tags of row groups that reads looked at, as item 0; undefined where nothing is kept. */
  readonly groupTags: CachedItems<PartTags> | undefined;
  /** Totals of the columns of a run of the index, all of them; undefined where it has none. */
  readStatistics(run: number): Promise<RunStatistics | undefined>;
  /** The tags of all rows; undefined where their names are too many. */
  readTags(): Promise<TagSummary>;
  /** Bytes of the file as they are. */
  readBytes(position: number, length: number): Promise<Buffer>;
  /** All groups as they stand in the file, read in large steps. */
  storedGroups(): AsyncGenerator<StoredGroup, void, undefined>;
}

/** The bytes of the steps in which groups that follow one another are read; a footer is never longer. */
const sequentialBytes = 1024 * 1024;

/** About how many times their bytes in a file texts take in memory. */
const tagsMemory = 8;

/**
 * Opens a part by its footer. Rejects with DamagedError.
 *
 * @param indexes decides how long the index is kept; without it that is for good
 */
export async function openPart(file: PartFile, indexes?: IndexBudget): Promise<PartReader> {
  const footer = await readFooter(file);
  const index = new IndexHolder(() => readIndex(file, footer), indexes);
  const tagsKept = file.keep?.<{ readonly summary: TagSummary }>();

  return {
    file,
    footer,
    hasIndex: () => index.isHeld,
    pinIndex: () => index.pin(),
    unpinIndex: (kept) => index.unpin(kept),
    dropIndex: () => index.drop(),
    async groupsOf(stream, from, to, wanted, window) {
      return groupsOf(await index.get(), stream, from, to, wanted, window);
    },
    readIndex: () => index.read(),
    async readParameters(handle) {
      const length = headBytes(handle);
      const head = file.held?.(handle.position, length) ?? (await readExactly(file, handle.position, length));
      return decodeLayout(file.name, handle, new StoredBytes(head)).columns.map(({ parameter }) => parameter);
    },
    totals: runTotalsReader(file),
    groupTotals: file.keep?.<GroupTotals>(),
    groupTags: file.keep?.<PartTags>(),
    summedColumns: file.keep?.<SummedColumn | null>(),
    view: (handle, parameters) => viewGroup(file, handle, parameters),
    inSpans(spanBytes, keeps) {
      const spans = spanFile(file, spanBytes, keeps);
      return { view: (handle, parameters) => viewGroup(spans, handle, parameters) };
    },
    async readGroup(handle, parameters) {
      const wanted = parameters && new Set(parameters);
      const view = await viewGroup(file, handle, wanted);
      const entries = view.columns.filter(({ parameter }) => wanted?.has(parameter) ?? true);
      return rowGroup(
        handle,
        { offsets: view.offsets(), ...view.tags() },
        entries.map((entry) => view.values(entry)),
      );
    },
    async readStatistics(run) {
      const loaded = await index.get();
      const { start, end } = statisticsOf(loaded, run);
      if (start === end) return undefined;
      const bytes = await readExactly(file, start, end - start);
      const groups = loaded.runs.ends[run]! - runStart(loaded.runs, run);
      return decodeStored(file.name, start, end, 'the statistics of a part', () =>
        decodeRunStatistics(bytes, groups),
      );
    },
    async readTags() {
      const { indexPosition: end, tagsLength, tagsChecksum } = footer;
      const known = tagsKept?.get(0);
      if (known !== undefined) return known.summary;
      const bytes = await readExactly(file, end - tagsLength, tagsLength);
      const summary = decodeStored(file.name, end - tagsLength, end, 'the tags of a part', () => {
        verifyChecksum(bytes, tagsChecksum);
        return decodeTagSummary(bytes);
      });
      tagsKept?.put(0, { summary }, 200 + tagsMemory * tagsLength);
      return summary;
    },
    readBytes: (position, length) => readExactly(file, position, length),
    async *storedGroups() {
      const handles = [...allGroups(await index.get())];
      for (let i = 0; i < handles.length; ) {
        const start = handles[i]!.position;
        const endOf = ({ position, length }: GroupHandle) => position + length;
        let end = i + 1;
        while (end < handles.length && endOf(handles[end]!) - start <= sequentialBytes) end++;
        const bytes = await readExactly(file, start, endOf(handles[end - 1]!) - start);
        for (; i < end; i++) {
          const handle = handles[i]!;
          yield { handle, bytes: bytes.subarray(handle.position - start, endOf(handle) - start) };
        }
      }
    },
  };
}

/** Decodes a stored group, all of it or the columns of some parameters. Throws DamagedError. */
export function decodeGroup(
  file: string,
  { handle, bytes }: StoredGroup,
  wanted?: ReadonlySet<number>,
): RowGroup {
  const stored = new StoredBytes(bytes);
  const head = decodeHead(file, handle, stored, wanted);
  const entries = head.columns.filter(({ parameter }) => wanted?.has(parameter) ?? true);
  return rowGroup(
    handle,
    head,
    entries.map((entry) => decodeColumn(file, handle, entry, stored)),
  );
}

function rowGroup(
  handle: GroupHandle,
  head: Pick<GroupHead, 'offsets' | 'tagSets' | 'tagIndex'>,
  columns: readonly GroupColumn[],
): RowGroup {
  const { offsets, tagSets, tagIndex } = head;
  return { stream: handle.stream, count: handle.rows, offsets, tagSets, tagIndex, columns };
}

async function readFooter(file: PartFile): Promise<PartFooter> {
  const length = Math.min(footerLength, file.size);
  const tail = await readExactly(file, file.size - length, length);
  const declared = declaredFooterLength(tail);
  // Another version may have a longer footer or a shorter one; its checksum tells whether it is one or this one is damaged.
  if (declared > length && declared <= Math.min(file.size, sequentialBytes)) {
    const position = file.size - declared;
    return decodeFooter(file.name, position, await readExactly(file, position, declared));
  }
  const own = declared < length && declared >= trailerLength ? declared : length;
  return decodeFooter(file.name, file.size - own, tail.subarray(length - own));
}

async function readIndex(file: PartFile, footer: PartFooter): Promise<PartIndex> {
  const { indexPosition, indexLength, indexChecksum, tagsLength } = footer;
  const end = indexPosition + indexLength;
  const bytes = await readExactly(file, indexPosition, indexLength);
  return decodeStored(file.name, indexPosition, end, 'the index of a part', () => {
    verifyChecksum(bytes, indexChecksum);
    if (end !== file.size - footerLength)
      throw new RangeError('the file does not have the length that it should');
    return decodeIndex(bytes, footer, indexPosition - tagsLength);
  });
}
