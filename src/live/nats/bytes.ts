/**
 * The primitives of what nodes tell each other: little-endian; `varint` is an unsigned LEB128 below 2^53; `bytes` is a
 * varint length and the bytes; `text` is bytes in UTF-8.
 */
export interface ByteWriter {
  u8(value: number): void;
  varint(value: number): void;
  i64(value: bigint): void;
  f64(value: number): void;
  bytes(value: Uint8Array): void;
  text(value: string): void;
  /** The memory of an array as it is, without its length. */
  raw(value: ArrayBufferView): void;
  /** All that was written. */
  done(): Buffer;
}

/** @param usual about how many bytes will be written */
export function byteWriter(usual = 1024): ByteWriter {
  let buffer = Buffer.allocUnsafe(usual);
  let length = 0;

  const room = (more: number): number => {
    if (length + more > buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, length + more));
      buffer.copy(larger, 0, 0, length);
      buffer = larger;
    }
    length += more;
    return length - more;
  };

  const writer: ByteWriter = {
    u8(value) {
      const at = room(1);
      buffer[at] = value;
    },
    varint(value) {
      let rest = value;
      while (rest >= 0x80) {
        writer.u8((rest % 0x80) | 0x80);
        rest = Math.floor(rest / 0x80);
      }
      writer.u8(rest);
    },
    i64(value) {
      const at = room(8);
      buffer.writeBigInt64LE(value, at);
    },
    f64(value) {
      const at = room(8);
      buffer.writeDoubleLE(value, at);
    },
    bytes(value) {
      writer.varint(value.length);
      writer.raw(value);
    },
    text: (value) => writer.bytes(Buffer.from(value)),
    raw({ buffer: memory, byteOffset, byteLength }) {
      const at = room(byteLength);
      buffer.set(new Uint8Array(memory, byteOffset, byteLength), at);
    },
    done: () => buffer.subarray(0, length),
  };
  return writer;
}

/** Reads what a writer wrote. Throws a RangeError where the bytes end too soon. */
export interface ByteReader {
  u8(): number;
  varint(): number;
  i64(): bigint;
  f64(): number;
  /** A view, not a copy. */
  bytes(): Uint8Array;
  text(): string;
  /** A view of the next bytes, which are not preceded by their length. */
  raw(byteLength: number): Uint8Array;
  /** How many bytes have not been read. */
  left(): number;
}

export function byteReader(from: Uint8Array): ByteReader {
  const buffer = Buffer.from(from.buffer, from.byteOffset, from.byteLength);
  let at = 0;

  const take = (count: number): number => {
    if (count > buffer.length - at) throw new RangeError('a message of another node ends too soon');
    at += count;
    return at - count;
  };

  const reader: ByteReader = {
    u8: () => buffer[take(1)]!,
    varint() {
      let value = 0;
      for (let scale = 1; scale <= Number.MAX_SAFE_INTEGER; scale *= 0x80) {
        const byte = reader.u8();
        value += (byte & 0x7f) * scale;
        if (byte < 0x80) return value;
      }
      throw new RangeError('a message of another node has a number that is too long');
    },
    i64: () => buffer.readBigInt64LE(take(8)),
    f64: () => buffer.readDoubleLE(take(8)),
    bytes() {
      const length = reader.varint();
      const start = take(length);
      return buffer.subarray(start, start + length);
    },
    text: () => Buffer.from(reader.bytes()).toString(),
    raw(byteLength) {
      const start = take(byteLength);
      return buffer.subarray(start, start + byteLength);
    },
    left: () => buffer.length - at,
  };
  return reader;
}
