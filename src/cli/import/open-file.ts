import { type FileHandle, open, stat } from 'node:fs/promises';
import { packingOf, unpackedFile } from '../../import/compression/unpacked-file.ts';
import { type FileBytes, FileFault } from '../../import/file-bytes.ts';
import { CommandError } from '../command.ts';

/** A file on disk, for readers of files. */
export interface OpenFile extends FileBytes {
  close(): Promise<void>;
}

/** Opens a file; of a packed one (`.gz`, `.zst`) gives what it holds. Throws a CommandError. */
export async function openFile(path: string): Promise<OpenFile> {
  const unreadable = (error: Error): never => {
    throw new CommandError(`${path} cannot be read: ${error.message}`);
  };
  // A pipe cannot be read twice, as an import does, and waits to be opened for whoever writes.
  if (!(await stat(path).catch(unreadable)).isFile())
    throw new CommandError(`${path} cannot be read: it is a folder or a pipe`);
  const handle = await open(path).catch(unreadable);
  try {
    const { size } = await handle.stat();
    const file = { size, read: (offset: number, length: number) => readBytes(handle, offset, length) };
    const packing = packingOf(path);
    const whole = packing === undefined ? file : await unpackedFile(file, packing);
    return { ...whole, close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error instanceof FileFault ? new CommandError(`${path}: ${error.message}`) : error;
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
