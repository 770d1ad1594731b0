import { type FileHandle, open } from 'node:fs/promises';
import { ByteWriter } from '../codecs/byte-writer.ts';
import { isNoSpace } from '../files/files.ts';
import { writeEntry, writeFiller } from './entries.ts';
import { encodeFrame, FrameKind, frameHeaderBytes } from './frames.ts';
import type { ManifestChange } from './manifest.ts';

/**
 * A power cut may leave anything in a page that was being written. So each commit has its pages to itself: a torn one
 * takes nothing of those before it away.
 */
const pageBytes = 4096;

/** A file of edits, open to be written to. */
export interface EditsFile {
  /** Bytes of all commits so far. */
  readonly size: number;
  /**
   * Appends a commit; resolves when it is on disk, with where it stands. Rejects with the disk's error where that is
   * full, and then the file is as before; any other error leaves it in a state that nobody knows.
   */
  append(commit: EncodedCommit): Promise<number>;
  close(): Promise<void>;
}

export interface EncodedCommit {
  readonly bytes: Buffer;
  /** Where each change stands, from where the commit does. */
  readonly positions: readonly number[];
}

export function encodeCommit(
  changes: readonly ManifestChange[],
  number: number,
  sequence: number,
): EncodedCommit {
  const body = new ByteWriter();
  const positions: number[] = [];
  for (const change of changes) {
    positions.push(frameHeaderBytes + body.length);
    writeEntry(body, change);
  }
  writeFiller(body, bytesToPage(frameHeaderBytes + body.length));
  return { bytes: encodeFrame({ sequence, number, kind: FrameKind.Entries }, body.written()), positions };
}

/** The head of a new file. */
export function encodeEditsHead(number: number, sequence: number): Buffer {
  // Spaces at its end are JSON too.
  const body = JSON.stringify({ sequence }).padEnd(pageBytes - frameHeaderBytes);
  return encodeFrame({ sequence, number, kind: FrameKind.Head }, Buffer.from(body));
}

function bytesToPage(position: number): number {
  return (pageBytes - (position % pageBytes)) % pageBytes;
}

/** @param size where the last commit ends: what follows it is cut */
export async function openEditsFile(path: string, size: number): Promise<EditsFile> {
  const handle = await open(path, 'r+');
  try {
    if ((await handle.stat()).size > size) await handle.truncate(size);
    // A process that was killed may have left commits that are in memory only.
    await handle.datasync();
  } catch (error) {
    await handle.close();
    throw error;
  }
  let end = size;

  async function write(bytes: Buffer): Promise<void> {
    try {
      await writeAll(handle, bytes, end);
    } catch (error) {
      if (!isNoSpace(error)) throw error;
      // What it took of them must not follow a shorter commit.
      await handle.truncate(end);
      throw error;
    }
  }

  return {
    get size() {
      return end;
    },
    async append({ bytes }) {
      await write(bytes);
      try {
        await handle.datasync();
      } catch (error) {
        throw new Error((error as Error).message, { cause: error });
      }
      const at = end;
      end += bytes.length;
      return at;
    },
    close: () => handle.close(),
  };
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    if (bytesWritten === 0) throw new Error(`the file took none of ${bytes.length - done} bytes`);
    done += bytesWritten;
  }
}
