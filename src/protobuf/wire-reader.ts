/** What of a message cannot be read. */
export class MessageFault extends Error {}

/** The most levels of groups in groups. */
const deepest = 32;

/** How a field stands in a message of protobuf (protobuf.dev/programming-guides/encoding). */
export const Wire = { Varint: 0, Fixed64: 1, Bytes: 2, GroupStart: 3, GroupEnd: 4, Fixed32: 5 } as const;

/**
 * Reads the fields of a message one after the other. `next` goes to the next one; then `number` and `wire` say what it is, and
 * its value stands in `[from, to)`: without the length of bytes and the marks of a group.
 */
export class WireReader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Of the last varint: the lower and the upper 32 bits, without a sign. */
  low = 0;
  high = 0;
  number = 0;
  wire = 0;
  from = 0;
  to = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The field at `at`, in a message up to `end`; gives where the next one stands. Throws a MessageFault. */
  next(at: number, end: number, depth = 0): number {
    let to = this.varint(at, end);
    const number = (this.low >>> 3) + this.high * 2 ** 29;
    const wire = this.low & 7;
    if (number === 0) throw new MessageFault('a field has the number 0');
    let from = to;
    let after: number;
    if (wire === Wire.Varint) after = to = this.varint(to, end);
    else if (wire === Wire.Bytes) {
      from = this.varint(to, end);
      after = to = from + this.low + this.high * 2 ** 32;
    } else if (wire === Wire.Fixed64) after = to = from + 8;
    else if (wire === Wire.Fixed32) after = to = from + 4;
    else if (wire === Wire.GroupStart) {
      to = this.#groupEnd(number, from, end, depth);
      after = this.varint(to, end);
    } else if (wire === Wire.GroupEnd) after = to;
    else throw new MessageFault(`a field has the wire type ${wire}, which there is not`);
    if (after > end) throw new MessageFault('a field goes beyond the message');
    this.number = number;
    this.wire = wire;
    this.from = from;
    this.to = to;
    return after;
  }

  /** Where the mark stands that ends a group. */
  #groupEnd(number: number, from: number, end: number, depth: number): number {
    if (depth > deepest) throw new MessageFault(`groups are nested more than ${deepest} deep`);
    for (let at = from; at < end; ) {
      const after = this.next(at, end, depth + 1);
      if (this.wire === Wire.GroupEnd) {
        if (this.number !== number) throw new MessageFault('a group ends with the number of another one');
        return at;
      }
      at = after;
    }
    throw new MessageFault('a group has no end');
  }

  /** Reads a whole number of up to ten bytes, seven bits each, to `low` and `high`; gives where it ends. */
  varint(from: number, end: number): number {
    const { bytes } = this;
    let low = 0;
    let high = 0;
    const last = Math.min(from + 10, end);
    for (let at = from, shift = 0; at < last; at++, shift += 7) {
      const byte = bytes[at]!;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >> 4;
      } else if (shift < 63) high |= bits << (shift - 32);
      else high |= (bits & 1) << 31;
      if (byte < 0x80) {
        this.low = low >>> 0;
        this.high = high >>> 0;
        return at + 1;
      }
    }
    throw new MessageFault('a number has no end');
  }
}

/** A field of a message whose fields are looked up by number, such as a schema. */
export interface WireField {
  readonly number: number;
  /** Of a varint, with its sign; 0 for others. */
  readonly value: number;
  /** With their length; undefined for others. */
  readonly bytes: Uint8Array | undefined;
}

/** All fields of a message. Throws a MessageFault. */
export function wireFields(bytes: Uint8Array): WireField[] {
  const reader = new WireReader(bytes);
  const fields: WireField[] = [];
  for (let at = 0; at < bytes.length; ) {
    at = reader.next(at, bytes.length);
    const { number, wire, from, to } = reader;
    fields.push({
      number,
      value: wire === Wire.Varint ? (reader.high | 0) * 2 ** 32 + reader.low : 0,
      bytes: wire === Wire.Bytes ? bytes.subarray(from, to) : undefined,
    });
  }
  return fields;
}
