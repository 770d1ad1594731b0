import { type FileBytes, FileFault } from '../file-bytes.ts';

/**
 * Records of an MCAP file (mcap.dev/spec), little-endian: uint8 kind, uint64 length, then that many bytes. Only what
 * leads to messages is read.
 */
export const Op = {
  Footer: 0x02,
  Schema: 0x03,
  Channel: 0x04,
  Message: 0x05,
  Chunk: 0x06,
  Attachment: 0x09,
  Statistics: 0x0b,
  Metadata: 0x0c,
  DataEnd: 0x0f,
} as const;

export interface McapRecord {
  readonly op: number;
  /** Where the record, or the chunk that it is in, stands in the file. */
  readonly offset: number;
  readonly data: DataView;
}

export const magic = [0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a];
export const headBytes = 9;
/** The longest record that is read, and the most that a chunk may hold: those that tools write have 1 to 4 MiB. */
export const longestRecord = 64 << 20;
const windowBytes = 1 << 20;
/** Bytes of an attachment that its name is within. */
const attachmentHead = 1 << 16;
const wanted: ReadonlySet<number> = new Set([Op.Schema, Op.Channel, Op.Message, Op.Chunk, Op.Metadata]);

/** The records of a file one after the other, of attachments the beginning; gives the place of the one that ends the messages. Throws a FileFault. */
export async function* readRecords(file: FileBytes): AsyncGenerator<McapRecord, number> {
  const read = windowReader(file);
  const begin = await read(0, magic.length, 'the mark of an MCAP file');
  if (magic.some((byte, i) => begin.getUint8(i) !== byte)) {
    throw new FileFault("an MCAP file begins with 89 'MCAP0' 0d 0a, and this does not", 0);
  }
  for (let offset = magic.length; ; ) {
    if (offset + headBytes > file.size) {
      throw new FileFault(
        'the file ends without its end record: it was cut off ("mcap recover" mends it)',
        offset,
      );
    }
    const head = await read(offset, headBytes, 'the head of a record');
    const op = head.getUint8(0);
    const length = Number(head.getBigUint64(1, true));
    if (op === Op.Footer || op === Op.DataEnd) return offset;
    if (offset + headBytes + length > file.size) {
      throw new FileFault(
        `a record of ${length} bytes begins here, and the file has ${file.size} in all: it was cut off`,
        offset,
      );
    }
    if (op === Op.Attachment) {
      const data = await read(offset + headBytes, Math.min(length, attachmentHead), 'an attachment');
      yield { op, offset, data };
    } else if (wanted.has(op)) {
      if (length > longestRecord) {
        throw new FileFault(`a record has ${length} bytes; ${longestRecord} are read at most`, offset);
      }
      yield { op, offset, data: await read(offset + headBytes, length, 'a record') };
    }
    offset += headBytes + length;
  }
}

/** The records in a chunk or a summary. Throws a FileFault with its place. */
export function* recordsIn(bytes: Uint8Array, offset: number): Generator<McapRecord> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; ) {
    const length = at + headBytes > bytes.length ? Number.NaN : Number(view.getBigUint64(at + 1, true));
    if (!(at + headBytes + length <= bytes.length)) {
      throw new FileFault(`a record in these ${bytes.length} bytes goes beyond them`, offset);
    }
    const data = new DataView(bytes.buffer, bytes.byteOffset + at + headBytes, length);
    yield { op: view.getUint8(at), offset, data };
    at += headBytes + length;
  }
}

/** Small records are many: a file is read in larger pieces. */
function windowReader(file: FileBytes) {
  let from = 0;
  let held = new Uint8Array();
  return async (offset: number, length: number, what: string): Promise<DataView> => {
    if (offset + length > file.size) {
      throw new FileFault(
        `${what} needs ${length} bytes from here, and the file has ${file.size} in all`,
        offset,
      );
    }
    if (offset < from || offset + length > from + held.length) {
      held = (await file.read(
        offset,
        Math.min(Math.max(length, windowBytes), file.size - offset),
      )) as typeof held;
      from = offset;
    }
    return new DataView(held.buffer, held.byteOffset + offset - from, length);
  };
}

/** Reads fields of a record one after the other. Throws a FileFault where they go beyond it. */
export class FieldReader {
  readonly #view: DataView;
  readonly #offset: number;
  #at = 0;

  constructor({ data, offset }: McapRecord) {
    this.#view = data;
    this.#offset = offset;
  }

  uint16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  uint32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  uint64(): bigint {
    return this.#view.getBigUint64(this.#take(8), true);
  }

  text(): string {
    return new TextDecoder().decode(this.bytes(this.uint32()));
  }

  bytes(length: number): Uint8Array {
    const at = this.#take(length);
    return new Uint8Array(this.#view.buffer, this.#view.byteOffset + at, length);
  }

  isAtEnd(): boolean {
    return this.#at === this.#view.byteLength;
  }

  rest(): Uint8Array {
    return this.bytes(this.#view.byteLength - this.#at);
  }

  #take(length: number): number {
    const at = this.#at;
    if (length > this.#view.byteLength - at)
      throw new FileFault('a record is shorter than its fields', this.#offset);
    this.#at = at + length;
    return at;
  }
}
