import { DamagedError, decodeStored } from './damage.ts';
import type { FrameStatistics } from './frame-statistics.ts';
import { declaredFooterLength, decodeFooter, footerLength, type PartFooter } from './part-format.ts';
import {
  decodeIndex,
  type GroupHandle,
  groupAt,
  groupsOf,
  indexBytes,
  type PartIndex,
} from './part-index.ts';
import {
  type ColumnEntry,
  decodeColumn,
  decodeColumnStatistics,
  decodeHead,
  type GroupHead,
  verifyChecksum,
} from './row-group-codec.ts';
import type { GroupColumn, RowGroup } from './sorted-rows.ts';

/** A part file as the reader sees it; `read` gives fresh bytes, fewer than asked only at the file's end. */
export interface PartFile {
  readonly name: string;
  readonly size: number;
  read(position: number, length: number): Promise<Buffer>;
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
  /** The groups of a stream that reach into [from, to] (offsets in the window, inclusive), in order of time. */
  groupsOf(stream: number, from: number, to: number): Promise<GroupHandle[]>;
  /** All groups; the index is loaded, and held only if it was held before. */
  readIndex(): Promise<PartIndex>;
  /** Numbers of the parameters that have values in a group. */
  readParameters(handle: GroupHandle): Promise<number[]>;
  /** Reads rows with the columns of `parameters` that the group has (undefined: all that it has). */
  readGroup(handle: GroupHandle, parameters?: readonly number[]): Promise<RowGroup>;
  /** What is known of a numeric column without its values; undefined where there is no such column or too little. */
  readStatistics(handle: GroupHandle, parameter: number): Promise<FrameStatistics | undefined>;
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
  let heldBytes = 0;

  function loadIndex(): Promise<PartIndex> {
    if (index === undefined) {
      const loading = readIndex(file, footer);
      index = loading;
      loading.then(
        (loaded) => {
          if (index === loading) heldBytes = indexBytes(loaded);
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
      return heldBytes;
    },
    dropIndex() {
      index = undefined;
      heldBytes = 0;
    },
    async groupsOf(stream, from, to) {
      return groupsOf(await loadIndex(), stream, from, to);
    },
    readIndex: () => index ?? readIndex(file, footer),
    async readParameters(handle) {
      const { head } = await readHead(file, handle);
      return head.columns.map(({ parameter }) => parameter);
    },
    async readGroup(handle, parameters) {
      const { head, bytes } = await readHead(file, handle);
      const wanted = parameters === undefined ? undefined : new Set(parameters);
      const entries = head.columns.filter(({ parameter }) => wanted?.has(parameter) ?? true);
      const decode = (entry: ColumnEntry, from: Buffer, at: number) =>
        decodeColumn(file.name, handle, entry, from, at);
      if (bytes.length === handle.length) {
        return rowGroup(
          handle,
          head,
          entries.map((entry) => decode(entry, bytes, 0)),
        );
      }
      const runs = await Promise.all(
        neighbours(entries).map(async (run) => {
          const start = run[0]!.values.position;
          const end = run.at(-1)!.values.position + run.at(-1)!.values.length;
          const read = await readExactly(file, handle.position + start, end - start);
          return run.map((entry) => decode(entry, read, start));
        }),
      );
      return rowGroup(handle, head, runs.flat());
    },
    async readStatistics(handle, parameter) {
      const { head, bytes } = await readHead(file, handle);
      const entry = head.columns.find((column) => column.parameter === parameter);
      if (entry?.statistics === undefined) return undefined;
      const { position, length } = entry.statistics;
      if (bytes.length === handle.length) return decodeColumnStatistics(file.name, handle, entry, bytes, 0);
      const read = await readExactly(file, handle.position + position, length);
      return decodeColumnStatistics(file.name, handle, entry, read, position);
    },
    async *storedGroups() {
      const held = await loadIndex();
      const { count, positions } = held;
      for (let i = 0; i < count; ) {
        const start = positions[i]!;
        let end = i + 1;
        while (end < count && positions[end + 1]! - start <= sequentialBytes) end++;
        const bytes = await readExactly(file, start, positions[end]! - start);
        for (; i < end; i++) {
          const handle = groupAt(held, i);
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
  const head = decodeHead(file, handle, bytes);
  return rowGroup(
    handle,
    head,
    head.columns.map((entry) => decodeColumn(file, handle, entry, bytes, 0)),
  );
}

function rowGroup(handle: GroupHandle, head: GroupHead, columns: readonly GroupColumn[]): RowGroup {
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

/** Reads a small group whole, of a large one the head. */
async function readHead(file: PartFile, handle: GroupHandle): Promise<{ head: GroupHead; bytes: Buffer }> {
  const length = handle.length <= wholeReadBytes ? handle.length : handle.headLength;
  const bytes = await readExactly(file, handle.position, length);
  return { head: decodeHead(file.name, handle, bytes), bytes };
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
    const { position, length } = entry.values;
    if (position - end <= readGapBytes) runs.at(-1)!.push(entry);
    else runs.push([entry]);
    end = position + length;
  }
  return runs;
}
