import { ByteReader } from './byte-reader.ts';

/**
 * Bytes of a row group in memory. Blocks of a group are read one after another, and share one view of these bytes: to
 * make a view costs more than to read a small block.
 */
export class StoredBytes {
  readonly bytes: Buffer;
  /** Where the bytes begin, counted from the start of the group. */
  readonly from: number;
  /** Whether all blocks that are read from here have met their checksums. */
  readonly isChecked: boolean;
  readonly #view: DataView;

  constructor(bytes: Buffer, from = 0, isChecked = false) {
    this.bytes = bytes;
    this.from = from;
    this.isChecked = isChecked;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** A reader of the bytes [start, end) of the group. Throws RangeError where they are not all here. */
  reader(start: number, end: number): ByteReader {
    return new ByteReader(this.bytes, start - this.from, end - this.from, this.#view);
  }
}
