import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { restEvery } from '../../../turns/rest.ts';
import { type Closed, closedName, editsName, settleName, snapshotName } from './catalog-files.ts';
import { encodeEditsHead } from './edits-file.ts';
import { entryAt, storedValue } from './entries.ts';
import { encodeFrame, encodeJsonFrame, FrameKind, frameHeaderBytes } from './frames.ts';
import type { TableName } from './manifest.ts';
import type { EncodedEntry } from './manifest-view.ts';

/** About the bytes of the entries of one frame: what damage costs where it cannot be repaired. */
const frameBytes = 1 << 16;
/** The time after which others have the thread, ms. */
const sliceMs = 3;

/** What is told of a snapshot while it is made. */
export interface SnapshotWatcher {
  /** The entry will stand there, in the frame that begins at `frame`. */
  onEntry?(entry: EncodedEntry, position: number): void;
  onFrame?(frame: number, withStreams: boolean): void;
  /** Asked between frames: an error of it ends the work. */
  check?(): void;
}

/**
 * The bytes of a snapshot, which begin with the entries of `meta`. Between two of them others have the thread.
 *
 * @param entries by table
 * @param sequence the last commit that they are from
 */
export async function* snapshotBytes(
  entries: Iterable<EncodedEntry>,
  number: number,
  sequence: number,
  watcher: SnapshotWatcher = {},
): AsyncGenerator<Buffer> {
  const counts: Record<string, number> = {};
  const meta: Record<string, unknown> = {};
  const head = encodeJsonFrame({ sequence: 0, number, kind: FrameKind.Head }, { sequence });
  let at = head.length;
  let frames = 1;
  let batch: Buffer[] = [];
  let bytes = 0;
  let withStreams = false;
  const pace = restEvery(sliceMs);

  function finish(): Buffer {
    watcher.onFrame?.(at, withStreams);
    const frame = encodeFrame({ sequence: frames++, number, kind: FrameKind.Entries }, Buffer.concat(batch));
    at += frame.length;
    batch = [];
    bytes = 0;
    withStreams = false;
    return frame;
  }

  yield head;
  let table: TableName = 'meta';
  for (const entry of entries) {
    if (bytes >= frameBytes || (entry.table !== table && bytes > 0)) {
      yield finish();
      watcher.check?.();
      const turn = pace();
      if (turn !== undefined) await turn;
    }
    table = entry.table;
    withStreams ||= table === 'streams';
    counts[table] = (counts[table] ?? 0) + 1;
    if (table === 'meta') meta[entry.key] = storedValue(entry.bytes, entryAt(entry.bytes, 0));
    watcher.onEntry?.(entry, at + frameHeaderBytes + bytes);
    batch.push(entry.bytes);
    bytes += entry.bytes.length;
  }
  if (bytes > 0) yield finish();
  yield encodeJsonFrame({ sequence: frames, number, kind: FrameKind.End }, { counts, meta });
}

/** The bytes from one sync to the next, so that no sync of a commit waits long for one. */
const syncBytes = 4 << 20;

/** Writes a snapshot; it has its name when it is on disk. */
export async function writeSnapshot(
  directory: string,
  number: number,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  await writeWhole(directory, snapshotName(number), chunks);
}

export async function writeClosed(directory: string, closed: Closed): Promise<void> {
  const { sequence } = closed;
  await writeWhole(directory, closedName, [
    encodeJsonFrame({ sequence, number: 0, kind: FrameKind.End }, closed),
  ]);
}

async function writeWhole(
  directory: string,
  name: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const path = join(directory, `${name}.new`);
  try {
    const handle = await open(path, 'w', 0o600);
    try {
      let unsynced = 0;
      for await (const chunk of chunks) {
        await handle.writeFile(chunk);
        unsynced += chunk.length;
        if (unsynced < syncBytes) continue;
        await handle.datasync();
        unsynced = 0;
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await settleName(directory, `${name}.new`, name);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** Makes a new file of edits, on disk under its name. */
export async function createEdits(directory: string, number: number, sequence: number): Promise<void> {
  await writeWhole(directory, editsName(number), [encodeEditsHead(number, sequence)]);
}
