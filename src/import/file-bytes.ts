/** The bytes of a file: one on disk, or one that a page was given. */
export interface FileBytes {
  readonly size: number;
  /** Reads `[offset, offset + length)`, which lies within the file. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** What a file has cannot be read; the message says what is wrong and at which byte. */
export class FileFault extends Error {
  /**
   * @param byte counted from the start of the file; undefined where there is no one place
   * @param file its name, where it is another one beside the file
   */
  constructor(what: string, byte: number | undefined, file?: string) {
    const place = [file, byte === undefined ? undefined : `byte ${byte}`].filter(
      (part) => part !== undefined,
    );
    super([place.join(', '), what].filter((part) => part !== '').join(': '));
    this.name = 'FileFault';
  }
}

/** A file that tells where it is read. */
export function watchedBytes(file: FileBytes, onBytes: (byte: number) => void): FileBytes {
  return {
    size: file.size,
    read(offset, length) {
      onBytes(offset);
      return file.read(offset, length);
    },
  };
}

/** Reads a piece that the file says it has. Throws a FileFault where it ends before. */
export async function readPiece(
  file: FileBytes,
  offset: number,
  length: number,
  what: string,
): Promise<DataView> {
  if (offset < 0 || offset + length > file.size) {
    throw new FileFault(
      `${what} needs ${length} bytes from here, and the file has ${file.size} in all`,
      offset,
    );
  }
  const bytes = await file.read(offset, length);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
