import { type FileHandle, open } from 'node:fs/promises';
import { type FileBytes, FileFault } from '../import/file-bytes.ts';
import { CommandError } from './command.ts';

/** A file on disk, for readers of files. */
export interface OpenFile extends FileBytes {
  close(): Promise<void>;
}

/** Throws a CommandError. */
export async function openFile(path: string): Promise<OpenFile> {
  const handle = await open(path).catch((error: Error) => {
    throw new CommandError(`${path} cannot be read: ${error.message}`);
  });
  try {
    const { size } = await handle.stat();
    return { size, read: (offset, length) => readBytes(handle, offset, length), close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function readBytes(handle: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await handle.read(bytes, done, length - done, offset + done);
    if (bytesRead === 0) throw new FileFault('the file became shorter while it was read', offset + done);
    done += bytesRead;
  }
  return bytes;
}
