import assert from 'node:assert/strict';
import { sliceRows } from '../../../domain/slice-rows.ts';
import { decodeLayout } from '../codecs/row-group-codec.ts';
import type { GroupHandle } from '../codecs/row-group-directory.ts';
import { StoredBytes } from '../codecs/stored-bytes.ts';
import { decodeGroup, type PartReader, type StoredGroup } from '../parts/part-reader.ts';
import type { PartWriter } from '../parts/part-writer.ts';
import { collectRows, largeBytes, largeRows, type RowCollector } from '../parts/row-collector.ts';
import { dropEmptyRows } from '../rows/gather-rows.ts';
import { bytesOfPlaces, firstRowFrom, type RowGroup } from '../rows/row-group.ts';
import { splitSparse } from '../rows/split-sparse.ts';
import { hideRows, tombstonesBetween, type WindowTombstone } from '../tombstones/tombstone.ts';

export interface MergeOptions {
  /** Rows of streams that are no longer alive are left out. */
  alive(stream: number): boolean;
  /** The first offset of a stream's rows that is kept; 0 keeps all, as does leaving it out. */
  keptFrom?(stream: number): number;
  /** What deletes hide of a stream in the part with that index; nothing without it. */
  tombstones?(part: number, stream: number): readonly WindowTombstone[];
}

/** So many bytes in the file make a row group large, too. */
const largeStoredBytes = 256 * 1024;

/** While decoded rows take as much as this, no more are decoded before their time comes. */
const maxHeldBytes = 64 * 1024 * 1024;

/**
 * Merges parts of one window, oldest first, into a new one; the caller finishes the writer. Rows of one
 * identity become one, each parameter with the value of the newest part that has it. Memory is bounded by a
 * few row groups per part, however long a stream is. Rejects with DamagedError, and with what reading
 * and writing throw.
 */
export async function mergeParts(
  parts: readonly PartReader[],
  writer: PartWriter,
  options: MergeOptions,
): Promise<void> {
  assert(
    parts.every(({ footer }) => footer.window === parts[0]!.footer.window),
    'parts are of one window',
  );
  const { tombstones = () => [], keptFrom = () => 0 } = options;
  const sources = parts.map((part, i) => openSource(part, (stream) => tombstones(i, stream), keptFrom));
  try {
    for (const source of sources) await source.advance();
    for (;;) {
      const stream = minimumOf(sources, ({ next }) => next?.handle.stream ?? Number.POSITIVE_INFINITY);
      if (stream === Number.POSITIVE_INFINITY) return;
      const holders = sources.filter((source) => source.next?.handle.stream === stream);
      for (const source of holders) source.begin(stream);
      if (options.alive(stream)) {
        await mergeStream(stream, holders, writer);
      } else {
        for (const source of holders) while (source.next?.handle.stream === stream) await source.advance();
      }
    }
  } finally {
    for (const source of sources) await source.close();
  }
}

function minimumOf(sources: readonly Source[], of: (source: Source) => number): number {
  return sources.reduce((minimum, source) => Math.min(minimum, of(source)), Number.POSITIVE_INFINITY);
}

/** One part, read from its start to its end. */
interface Source {
  readonly file: string;
  /** The next row group that is not taken yet; undefined at the end. */
  next: StoredGroup | undefined;
  /** Decoded rows of the current stream that are not written yet: groups that follow one another, or lie side by side. */
  held: RowGroup[];
  /** Turns to the next stream, which has `next`. */
  begin(stream: number): void;
  /** Whether rows of a group of the stream that was begun are to be left out. */
  isTouched(handle: GroupHandle): boolean;
  /** The rows of `next` without those; undefined where none is left for sure. */
  nextRows(): RowGroup | undefined;
  advance(): Promise<void>;
  close(): Promise<unknown>;
}

function openSource(
  part: PartReader,
  tombstonesOf: (stream: number) => readonly WindowTombstone[],
  keptFrom: (stream: number) => number,
): Source {
  const groups = part.storedGroups();
  let tombstones: readonly WindowTombstone[] = [];
  let kept = 0;
  return {
    file: part.file.name,
    next: undefined,
    held: [],
    begin(stream) {
      tombstones = tombstonesOf(stream);
      kept = keptFrom(stream);
    },
    isTouched: ({ minOffset, maxOffset }) =>
      minOffset < kept || tombstonesBetween(tombstones, minOffset, maxOffset).length > 0,
    nextRows() {
      const { handle } = this.next!;
      if (handle.maxOffset < kept) return undefined;
      const rows = decodeGroup(this.file, this.next!);
      if (!this.isTouched(handle)) return rows;
      const seen = sliceRows(rows, firstRowFrom(rows.offsets, kept), rows.count);
      return dropEmptyRows(hideRows(seen, tombstonesBetween(tombstones, handle.minOffset, handle.maxOffset)));
    },
    async advance() {
      const { value } = await groups.next();
      this.next = value ?? undefined;
    },
    close: () => groups.return(),
  };
}

/** Writes all rows of a stream that the sources hold, piece by piece in order of time. */
async function mergeStream(stream: number, sources: readonly Source[], writer: PartWriter): Promise<void> {
  const output = collectRows(writer);
  /** Where rows that are not decoded yet may begin: everything below is complete. */
  const bound = ({ next }: Source) =>
    next?.handle.stream === stream ? next.handle.minOffset : Number.POSITIVE_INFINITY;
  for (;;) {
    const active = sources.filter(
      (source) => source.held.length > 0 || bound(source) < Number.POSITIVE_INFINITY,
    );
    if (active.length === 0) break;
    if (output.canEnd() && (await copyAlone(active, output, writer))) continue;
    for (const source of active) {
      if (source.held.length === 0 && heldBytes(active) < maxHeldBytes) await hold(source);
    }
    const cut = minimumOf(active, bound);
    const complete = active.flatMap((source) => takeBelow(source, cut));
    if (complete.length > 0) {
      output.add(complete);
    } else if (cut < Number.POSITIVE_INFINITY) {
      // These come next; or one moment reaches over the border of two groups, and both are needed.
      for (const source of active) if (bound(source) === cut) await hold(source);
    }
  }
  output.end();
}

function heldBytes(sources: readonly Source[]): number {
  return sources.reduce((sum, { held }) => sum + bytesOfPlaces(held), 0);
}

async function hold(source: Source): Promise<void> {
  const rows = source.nextRows();
  if (rows !== undefined && rows.count > 0) source.held.push(...splitSparse(rows));
  await source.advance();
}

/** Takes the held rows whose offset is below `cut`. */
function takeBelow(source: Source, cut: number): RowGroup[] {
  const taken: RowGroup[] = [];
  const kept: RowGroup[] = [];
  for (const group of source.held) {
    const end = firstRowFrom(group.offsets, cut);
    if (end > 0) taken.push(sliceRows(group, 0, end));
    if (end < group.count) kept.push(sliceRows(group, end, group.count));
  }
  source.held = kept;
  return taken;
}

/** A group that nothing overlaps is copied as it is if it is large: merging would not better it. */
function isLarge({ rows, length }: GroupHandle, columns: number): boolean {
  return rows >= largeRows || length >= largeStoredBytes || 8 * rows * columns >= largeBytes;
}

/** Whether it can be: no column takes less than four bytes of the head. */
function mayBeLarge(handle: GroupHandle): boolean {
  return isLarge(handle, handle.headLength / 4);
}

/** Copies the next row group if it is large and ends before any other source has rows; says if it did. */
async function copyAlone(
  sources: readonly Source[],
  output: RowCollector,
  writer: PartWriter,
): Promise<boolean> {
  const firstOffset = ({ held, next }: Source) =>
    held.length === 0 ? next!.handle.minOffset : Math.min(...held.map(({ offsets }) => offsets[0]!));
  for (const source of sources) {
    const { next, held } = source;
    if (held.length > 0) continue;
    const { handle, bytes } = next!;
    if (source.isTouched(handle)) continue;
    if (!mayBeLarge(handle)) continue;
    if (sources.some((other) => other !== source && firstOffset(other) <= handle.maxOffset)) continue;
    const { columns } = decodeLayout(source.file, handle, new StoredBytes(bytes));
    if (!isLarge(handle, columns.length)) continue;
    output.end();
    writer.addStored(
      handle,
      bytes,
      columns.reduce((sum, { present }) => sum + present, 0),
    );
    await source.advance();
    return true;
  }
  return false;
}
