/**
 * A growing run of bytes, little endian. Integers of unknown size are written as
 * - varint: whole numbers in [0, 2^53), seven bits a byte, lowest first, the top bit says that more follow;
 * - signed varint: whole numbers of magnitude up to 2^53; bit 6 of the first byte is the sign.
 */
export class ByteWriter {
  /** The storage; only the first `length` bytes are written. Replaced when it grows. */
  bytes: Buffer;
  length = 0;
  /** Of the storage; replaced with it. */
  view: DataView;
  #scratch = new Float64Array(0);

  constructor(capacity = 1024) {
    this.bytes = Buffer.allocUnsafeSlow(capacity);
    this.view = viewOf(this.bytes);
  }

  /** What was written so far; valid until the next write. */
  written(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  /** Makes room for `count` more bytes, so that they can be stored at `length` directly. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
    this.view = viewOf(grown);
  }

  /** Room for numbers that are worked out before they are written. It is this writer's own, and valid until the next call. */
  scratch(count: number): Float64Array {
    if (this.#scratch.length < count) this.#scratch = new Float64Array(count);
    return this.#scratch;
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.length++] = value;
  }

  uint32(value: number): void {
    this.reserve(4);
    this.view.setUint32(this.length, value, true);
    this.length += 4;
  }

  float32(value: number): void {
    this.reserve(4);
    this.view.setFloat32(this.length, value, true);
    this.length += 4;
  }

  float64(value: number): void {
    this.reserve(8);
    this.view.setFloat64(this.length, value, true);
    this.length += 8;
  }

  varint(value: number): void {
    this.reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.bytes[this.length++] = (rest & 0x7f) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.bytes[this.length++] = rest;
  }

  signedVarint(value: number): void {
    const magnitude = Math.abs(value);
    const head = (value < 0 ? 0x40 : 0) | (magnitude & 0x3f);
    if (magnitude < 0x40) {
      this.byte(head);
    } else {
      this.byte(head | 0x80);
      this.varint(Math.floor(magnitude / 0x40));
    }
  }

  /** Puts bytes in before those that stand from `at` on. */
  insert(at: number, bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.copyWithin(at + bytes.length, at, this.length);
    this.bytes.set(bytes, at);
    this.length += bytes.length;
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }
}

/** Bytes that `signedVarint` needs for `value`. */
export function signedVarintLength(value: number): number {
  let length = 1;
  for (let rest = Math.abs(value) / 0x40; rest >= 1; rest /= 0x80) length++;
  return length;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
