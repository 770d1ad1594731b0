import { MessageFault } from '../../protobuf/wire-reader.ts';
import { CdrKind } from './cdr-types.ts';
import { signed64, unsigned64 } from './integers.ts';

/** How messages of DDS stand in bytes (DDS-XTypes 1.3, 7.6.3.1.2), by the second byte of their head. */
export interface CdrForm {
  readonly isLittle: boolean;
  /** Version 2 has numbers at multiples of 4 at most. */
  readonly version: 1 | 2;
  /** What the outermost type is. */
  readonly kind: 'final' | 'appendable' | 'mutable';
}

const kinds: Readonly<Record<number, readonly [version: 1 | 2, kind: CdrForm['kind']]>> = {
  0: [1, 'final'],
  2: [1, 'mutable'],
  6: [2, 'final'],
  8: [2, 'appendable'],
  10: [2, 'mutable'],
  16: [2, 'final'],
  18: [2, 'mutable'],
  20: [2, 'appendable'],
};

export const headBytes = 4;

/** Throws a MessageFault for a head that is no such thing. */
export function cdrFormOf(bytes: Uint8Array): CdrForm {
  if (bytes.length < headBytes) throw new MessageFault('it is shorter than its head');
  const found = bytes[0] === 0 ? kinds[bytes[1]! & 0xfe] : undefined;
  if (found === undefined)
    throw new MessageFault(
      `its head says that it is of kind ${(bytes[0]! << 8) | bytes[1]!}, which is no CDR`,
    );
  return { isLittle: (bytes[1]! & 1) === 1, version: found[0], kind: found[1] };
}

const fewestSteps = 1000;
/** A structure of one byte, in an array of arrays, takes three. */
const stepsOfByte = 4;

/** Reads numbers and texts one after the other. Throws a MessageFault where the bytes end before. */
export class CdrReader {
  readonly bytes: Uint8Array;
  readonly isLittle: boolean;
  readonly view: DataView;
  /** From where gaps before numbers are counted. */
  origin: number;
  at: number;
  end: number;
  /** Numbers stand at multiples of their size, up to this. 1: without gaps. */
  readonly #mostGap: number;
  #steps = 0;

  constructor(bytes: Uint8Array, start: number, isLittle: boolean, mostGap: 1 | 4 | 8) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.origin = start;
    this.at = start;
    this.end = bytes.length;
    this.isLittle = isLittle;
    this.#mostGap = mostGap;
  }

  /** Messages without fields take no bytes: without a bound a small one could be made to go on for ever. */
  step(): void {
    this.#steps++;
    if (this.#steps > stepsOfByte * this.bytes.length + fewestSteps)
      throw new MessageFault('it has more fields than bytes');
  }

  get left(): number {
    return this.end - this.at;
  }

  /** Goes over `length` bytes, behind the gap before numbers of that width; gives where they begin. */
  take(length: number, width: number): number {
    const gap = Math.min(width, this.#mostGap);
    const past = (this.at - this.origin) % gap;
    const at = past > 0 ? this.at + gap - past : this.at;
    if (at + length > this.end) throw new MessageFault('it is shorter than its schema says');
    this.at = at + length;
    return at;
  }

  /** @param width of a number of that kind */
  number(kind: CdrKind, width: number): number | bigint {
    const { view, isLittle } = this;
    const at = this.take(width, width);
    switch (kind) {
      case CdrKind.Float64:
        return view.getFloat64(at, isLittle);
      case CdrKind.Float32:
        return view.getFloat32(at, isLittle);
      case CdrKind.Int64:
        return signed64(this.#half(at, false), this.#half(at, true));
      case CdrKind.Uint64:
        return unsigned64(this.#half(at, false), this.#half(at, true));
      case CdrKind.Int32:
        return view.getInt32(at, isLittle);
      case CdrKind.Uint32:
        return view.getUint32(at, isLittle);
      case CdrKind.Int16:
        return view.getInt16(at, isLittle);
      case CdrKind.Uint16:
        return view.getUint16(at, isLittle);
      case CdrKind.Int8:
        return view.getInt8(at);
      case CdrKind.Bool:
        return view.getUint8(at) === 0 ? 0 : 1;
      default:
        return view.getUint8(at);
    }
  }

  /** Where the halves of 8 bytes stand. */
  #half(at: number, isUpper: boolean): number {
    return this.view.getUint32(isUpper === this.isLittle ? at + 4 : at, this.isLittle);
  }

  uint32(): number {
    return this.view.getUint32(this.take(4, 4), this.isLittle);
  }

  uint16(): number {
    return this.view.getUint16(this.take(2, 2), this.isLittle);
  }

  /** Of a text with its length. CDR counts a zero byte at its end, which some writers leave out, and some have more of. */
  text(hasEnd: boolean): Uint8Array {
    const length = this.uint32();
    const at = this.take(length, 1);
    let end = at + length;
    while (hasEnd && end > at && this.bytes[end - 1] === 0) end--;
    return this.bytes.subarray(at, end);
  }
}
