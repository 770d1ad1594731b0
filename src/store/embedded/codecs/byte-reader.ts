/**
 * Reads what `ByteWriter` wrote, from `start` to `end` of some bytes.
 * A read beyond `end` throws a RangeError: where the checksum is right, that is a defect of the writer.
 */
export class ByteReader {
  readonly bytes: Buffer;
  readonly view: DataView;
  readonly end: number;
  position: number;

  /** @param view of all `bytes`, for who reads several blocks of them */
  constructor(bytes: Buffer, start = 0, end = bytes.length, view: DataView = viewOf(bytes)) {
    if (start > end || end > bytes.length) throw new RangeError('a block reaches beyond its bytes');
    this.bytes = bytes;
    this.view = view;
    this.end = end;
    this.position = start;
  }

  /** Passes over `count` bytes and returns where they begin. */
  skip(count: number): number {
    const start = this.position;
    if (!(count <= this.end - start)) throw new RangeError('a field reaches beyond its block');
    this.position = start + count;
    return start;
  }

  byte(): number {
    return this.bytes[this.skip(1)]!;
  }

  uint32(): number {
    return this.view.getUint32(this.skip(4), true);
  }

  float64(): number {
    return this.view.getFloat64(this.skip(8), true);
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 49; scale *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw new RangeError('a varint is too long');
  }

  signedVarint(): number {
    const head = this.byte();
    const magnitude = (head & 0x3f) + (head >= 0x80 ? this.varint() * 0x40 : 0);
    return (head & 0x40) === 0 ? magnitude : -magnitude;
  }

  /** A view of the next `count` bytes, not a copy. */
  take(count: number): Buffer {
    const start = this.skip(count);
    return this.bytes.subarray(start, start + count);
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
