import { checkColumns } from '../codecs/group-columns.ts';
import { decodeLayout } from '../codecs/row-group-codec.ts';
import type { ColumnEntry, GroupHandle } from '../codecs/row-group-directory.ts';
import { StoredBytes } from '../codecs/stored-bytes.ts';
import { type EncodedGroup, encodedGroup } from './encoded-group.ts';
import { type PartFile, readExactly } from './part-bytes.ts';

/** The size up to which a group is read at once, whatever is wanted of it: one more read costs more. */
const wholeReadBytes = 64 * 1024;
/** The most bytes between blocks that are read together. */
const readGapBytes = 16 * 1024;
/** Columns that meet their checksums in one step. */
const checkedAtOnce = 1024;

/** What is read of a group at first. */
export function headBytes({ length, headLength }: GroupHandle): number {
  return length <= wholeReadBytes ? length : headLength;
}

/** Reads a small group whole; of a large one the head and what the wanted columns take. */
export function viewGroup(
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
  const mark = file.markOf?.(handle.position, head);
  const layout = decodeLayout(file.name, handle, stored, wanted, mark?.isChecked);
  if (mark !== undefined) mark.isChecked = true;
  if (head.length === handle.length) return encodedGroup(file.name, handle, layout, stored, () => stored);
  const blocks = new Map<ColumnEntry, StoredBytes>();
  const waiting: Promise<void>[] = [];
  for (const run of neighbours(layout.columns.filter(({ parameter }) => wanted?.has(parameter) ?? true))) {
    const from = run[0]!.values.position;
    const length = endOf(run.at(-1)!) - from;
    const put = (bytes: Buffer) => {
      const ofRun = checkedRun(file, handle, run, from, bytes);
      for (const entry of run) blocks.set(entry, ofRun);
    };
    const held = file.held?.(handle.position + from, length);
    if (held === undefined) waiting.push(readExactly(file, handle.position + from, length).then(put));
    else put(held);
  }
  const view = encodedGroup(file.name, handle, layout, stored, (entry) => blocks.get(entry)!);
  return waiting.length === 0 ? view : Promise.all(waiting).then(() => view);
}

/**
 * Blocks of columns in bytes from `from` on. Each meets its checksum whenever it is decoded; where the cache keeps the bytes
 * and these columns are all that is in them, they all meet it now, once, unless they are very many.
 */
function checkedRun(
  file: PartFile,
  handle: GroupHandle,
  run: readonly ColumnEntry[],
  from: number,
  bytes: Buffer,
): StoredBytes {
  const mark = file.markOf?.(handle.position + from, bytes);
  if (mark?.isChecked !== true) {
    const unchecked = new StoredBytes(bytes, from);
    if (mark === undefined || run.length > checkedAtOnce || lengthOf(run) < bytes.length) return unchecked;
    checkColumns(file.name, handle, run, unchecked);
    mark.isChecked = true;
  }
  return new StoredBytes(bytes, from, true);
}

/** What the blocks of columns take. */
function lengthOf(run: readonly ColumnEntry[]): number {
  return run.reduce((sum, { values, statistics }) => sum + values.length + (statistics?.length ?? 0), 0);
}

/** The end of a column's blocks from the group's start: of its statistics where it has some. */
function endOf({ values, statistics }: ColumnEntry): number {
  return statistics === undefined ? values.position + values.length : statistics.position + statistics.length;
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
