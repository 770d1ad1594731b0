import { MessageFault } from './flatten.ts';

/** A field as it stands in a message of protobuf. */
export interface WireField {
  readonly number: number;
  /** 0 a varint, 1 eight bytes, 2 bytes with their length, 5 four bytes. */
  readonly wire: number;
  /** Of a varint or of fixed bytes, without a sign. */
  readonly value: bigint;
  /** With their length; undefined for the others. */
  readonly bytes: Uint8Array | undefined;
}

/** The fields of a message one after the other. Throws a MessageFault. */
export function* wireFields(bytes: Uint8Array): Generator<WireField> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; ) {
    const key = varint(bytes, at);
    at = key.end;
    const number = Number(key.value >> 3n);
    const wire = Number(key.value & 7n);
    if (number === 0) throw new MessageFault('a field has the number 0');
    if (wire === 0) {
      const { value, end } = varint(bytes, at);
      yield { number, wire, value, bytes: undefined };
      at = end;
    } else if (wire === 2) {
      const { value, end } = varint(bytes, at);
      const length = Number(value);
      if (end + length > bytes.length) throw new MessageFault('a field goes beyond the message');
      yield { number, wire, value: 0n, bytes: bytes.subarray(end, end + length) };
      at = end + length;
    } else if (wire === 1 || wire === 5) {
      const width = wire === 1 ? 8 : 4;
      if (at + width > bytes.length) throw new MessageFault('a field goes beyond the message');
      const value = wire === 1 ? view.getBigUint64(at, true) : BigInt(view.getUint32(at, true));
      yield { number, wire, value, bytes: undefined };
      at += width;
    } else throw new MessageFault(`a field has the wire type ${wire}, which is not read`);
  }
}

/** A whole number of up to ten bytes, seven bits each. */
export function varint(bytes: Uint8Array, from: number): { readonly value: bigint; readonly end: number } {
  let value = 0n;
  for (let i = 0; i < 10; i++) {
    const byte = bytes[from + i];
    if (byte === undefined) break;
    value |= BigInt(byte & 0x7f) << BigInt(7 * i);
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), end: from + i + 1 };
  }
  throw new MessageFault('a number has no end');
}
