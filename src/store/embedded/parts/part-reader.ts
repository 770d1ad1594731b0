import {
  decodeColumn,
  decodeHead,
  decodeLayout,
  type GroupHead,
  verifyChecksum,
} from '../codecs/row-group-codec.ts';
import type { ColumnEntry, GroupHandle } from '../codecs/row-group-directory.ts';
import { StoredBytes } from '../codecs/stored-bytes.ts';
import { DamagedError, decodeStored } from '../files/damage.ts';
import type { GroupColumn, RowGroup } from '../rows/row-group.ts';
import { type EncodedGroup, encodedGroup } from './encoded-group.ts';
import type { LayoutCache } from './part-cache.ts';
import { declaredFooterLength, decodeFooter, footerLength, type PartFooter } from './part-format.ts';
import { decodeIndex, groupAt, groupsOf, indexBytes, type PartIndex } from './part-index.ts';

/** A part file as the reader sees it; `read` gives fresh bytes, fewer than asked only at the file's end. */
export interface PartFile {
  readonly name: string;
  readonly size: number;
  read(position: number, length: number): Promise<Buffer>;
  /** The same if it takes no reading. */
  held?(position: number, length: number): Buffer | undefined;
  /** Directories of groups whose bytes were checked; without it each is decoded anew. */
  readonly layouts?: LayoutCache;
}

/** A row group as it is stored. */
export interface StoredGroup {
  readonly handle: GroupHandle;
  readonly bytes: Buffer;
}

/** Every method that reads rejects with DamagedError where the file is not what was written. */
export interface PartReader {
  readonly file: PartFile;
  readonly footer: PartFooter;
  /** Memory of the index while it is held, in bytes; 0 before the first use and after `dropIndex`. */
  readonly indexBytes: number;
  dropIndex(): void;
  readonly hasIndex: boolean;
  /** Has the index held. */
  loadIndex(): Promise<void>;
  /** The groups of a stream that reach into [from, to] (offsets in the window, inclusive), in order of time. */
  groupsOf(stream: number, from: number, to: number): Promise<GroupHandle[]>;
  /** All groups; the index is loaded, and held only if it was held before. */
  readIndex(): Promise<PartIndex>;
  /** The same if the index is held; undefined if it has to be read. */
  groupsHeld(stream: number, from: number, to: number): GroupHandle[] | undefined;
  /** Numbers of the parameters that have values in a group. */
  readParameters(handle: GroupHandle): Promise<number[]>;
  /** A group with the columns of `parameters` that it has; at once where nothing has to be read. */
  view(handle: GroupHandle, parameters: ReadonlySet<number>): EncodedGroup | Promise<EncodedGroup>;
  /** Reads rows with the columns of `parameters` that the group has (undefined: all that it has). */
  readGroup(handle: GroupHandle, parameters?: readonly number[]): Promise<RowGroup>;
  /** All groups in order of (stream, time), read in large steps; checksums are left to `decodeGroup`. */
  storedGroups(): AsyncGenerator<StoredGroup, void, undefined>;
}

/** Up to this size a group is read at once, whatever is wanted of it: one more read costs more. */
const wholeReadBytes = 64 * 1024;
/** Blocks with no more than this between them are read together. */
const readGapBytes = 16 * 1024;
const sequentialBytes = 1024 * 1024;

/** Opens a part by its footer. Rejects with DamagedError, or NewerFormatError. */
export async function openPart(file: PartFile): Promise<PartReader> {
  const footer = await readFooter(file);
  let index: Promise<PartIndex> | undefined;
  let held: PartIndex | undefined;

  function loadIndex(): Promise<PartIndex> {
    if (index === undefined) {
      const loading = readIndex(file, footer);
      index = loading;
      loading.then(
        (loaded) => {
          if (index === loading) held = loaded;
        },
        () => {
          if (index === loading) index = undefined;
        },
      );
    }
    return index;
  }

  return {
    file,
    footer,
    get indexBytes() {
      return held === undefined ? 0 : indexBytes(held);
    },
    get hasIndex() {
      return held !== undefined;
    },
    async loadIndex() {
      await loadIndex();
    },
    dropIndex() {
      index = undefined;
      held = undefined;
    },
    async groupsOf(stream, from, to) {
      return groupsOf(await loadIndex(), stream, from, to);
    },
    readIndex: () => index ?? readIndex(file, footer),
    async readParameters(handle) {
      const length = headBytes(handle);
      const head = file.held?.(handle.position, length) ?? (await readExactly(file, handle.position, length));
      return decodeLayout(file.name, handle, new StoredBytes(head)).columns.map(({ parameter }) => parameter);
    },
    groupsHeld: (stream, from, to) => held && groupsOf(held, stream, from, to),
    view: (handle, parameters) => viewGroup(file, handle, parameters),
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
    async *storedGroups() {
      const loaded = await loadIndex();
      const { count, positions } = loaded;
      for (let i = 0; i < count; ) {
        const start = positions[i]!;
        let end = i + 1;
        while (end < count && positions[end + 1]! - start <= sequentialBytes) end++;
        const bytes = await readExactly(file, start, positions[end]! - start);
        for (; i < end; i++) {
          const handle = groupAt(loaded, i);
          yield {
            handle,
            bytes: bytes.subarray(handle.position - start, handle.position - start + handle.length),
          };
        }
      }
    },
  };
}

/** Decodes all of a stored group. Throws DamagedError. */
export function decodeGroup(file: string, { handle, bytes }: StoredGroup): RowGroup {
  const stored = new StoredBytes(bytes);
  const head = decodeHead(file, handle, stored);
  return rowGroup(
    handle,
    head,
    head.columns.map((entry) => decodeColumn(file, handle, entry, stored)),
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
  // A later version may have a longer footer; its checksum tells whether it is one or this one is damaged.
  if (declared <= length || declared > Math.min(file.size, sequentialBytes)) {
    return decodeFooter(file.name, file.size - length, tail);
  }
  const position = file.size - declared;
  return decodeFooter(file.name, position, await readExactly(file, position, declared));
}

async function readIndex(file: PartFile, footer: PartFooter): Promise<PartIndex> {
  const { indexPosition, indexLength, indexChecksum, groups } = footer;
  const end = indexPosition + indexLength;
  const bytes = await readExactly(file, indexPosition, indexLength);
  return decodeStored(file.name, indexPosition, end, 'the index of a part', () => {
    verifyChecksum(bytes, indexChecksum);
    if (end !== file.size - footerLength)
      throw new RangeError('the file does not have the length that it should');
    return decodeIndex(bytes, groups, indexPosition);
  });
}

/** What is read of a group at first. */
function headBytes({ length, headLength }: GroupHandle): number {
  return length <= wholeReadBytes ? length : headLength;
}

/** Reads a small group whole; of a large one the head and what the wanted columns take. */
function viewGroup(
  file: PartFile,
  handle: GroupHandle,
  wanted: ReadonlySet<number> | undefined,
): EncodedGroup | Promise<EncodedGroup> {
  const length = headBytes(handle);
  const head = file.held?.(handle.position, length);
  if (head !== undefined) return viewOf(file, handle, head, wanted);
  return readExactly(file, handle.position, length).then((read) => viewOf(file, handle, read, wanted));
}

function viewOf(
  file: PartFile,
  handle: GroupHandle,
  head: Buffer,
  wanted: ReadonlySet<number> | undefined,
): EncodedGroup | Promise<EncodedGroup> {
  const stored = new StoredBytes(head);
  const decode = () => decodeLayout(file.name, handle, stored, wanted);
  const layout = file.layouts?.of(head, decode) ?? decode();
  if (head.length === handle.length) return encodedGroup(file.name, handle, layout, stored, () => stored);
  const blocks = new Map<ColumnEntry, StoredBytes>();
  const waiting: Promise<void>[] = [];
  for (const run of neighbours(layout.columns.filter(({ parameter }) => wanted?.has(parameter) ?? true))) {
    const from = run[0]!.values.position;
    const length = endOf(run.at(-1)!) - from;
    const put = (bytes: Buffer) => {
      const ofRun = new StoredBytes(bytes, from);
      for (const entry of run) blocks.set(entry, ofRun);
    };
    const held = file.held?.(handle.position + from, length);
    if (held === undefined) waiting.push(readExactly(file, handle.position + from, length).then(put));
    else put(held);
  }
  const view = encodedGroup(file.name, handle, layout, stored, (entry) => blocks.get(entry)!);
  return waiting.length === 0 ? view : Promise.all(waiting).then(() => view);
}

/** The end of a column's blocks from the group's start: of its statistics where it has some. */
function endOf({ values, statistics }: ColumnEntry): number {
  return statistics === undefined ? values.position + values.length : statistics.position + statistics.length;
}

async function readExactly(file: PartFile, position: number, length: number): Promise<Buffer> {
  const bytes = await file.read(position, length);
  if (bytes.length !== length) {
    throw new DamagedError(file.name, position, position + length, 'the file ends before these bytes');
  }
  return bytes;
}

/** Runs of columns that are near enough to each other in the file to be read at once. */
function neighbours(entries: readonly ColumnEntry[]): ColumnEntry[][] {
  const runs: ColumnEntry[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const entry of entries) {
    if (entry.values.position - end <= readGapBytes) runs.at(-1)!.push(entry);
    else runs.push([entry]);
    end = endOf(entry);
  }
  return runs;
}
